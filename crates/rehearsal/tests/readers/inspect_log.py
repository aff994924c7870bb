"""What Inspect's own reader finds in an evaluation log: as one JSON object."""

import json
import sys

from inspect_ai.log import read_eval_log


def told(path):
    log = read_eval_log(path)
    return {
        "status": log.status,
        "accuracy": log.results.scores[0].metrics["accuracy"].value,
        "samples": [
            {
                "id": sample.id,
                "epoch": sample.epoch,
                "value": sample.scores["verdict"].value if sample.scores else None,
                "explanation": sample.scores["verdict"].explanation if sample.scores else None,
                "error": sample.error.message if sample.error else None,
            }
            for sample in log.samples
        ],
    }


if __name__ == "__main__":
    print(json.dumps(told(sys.argv[1])))
