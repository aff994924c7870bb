//! Tasks on data and prose, in which every byte counts.

use super::dice::Dice;
use super::{Made, Rule};

const WORDS: &[&str] = &["heron", "otter", "willow", "harbour", "lantern", "meadow"];

pub(super) fn json_key(dice: &mut Dice) -> Made {
    let (old, new) = (dice.number(1000, 4999), dice.number(5000, 9999));
    let (name, rate) = (dice.one(WORDS), dice.number(1, 9));
    let file = |port: u64| {
        format!(
            "{{\n  \"name\": \"{name}\",\n  \"server\": {{\n    \"host\": \"localhost\",\n    \"port\": {port}\n  }},\n  \"rate\": 0.{rate}0,\n  \"tags\": [\"a\",  \"b\"]\n}}\n"
        )
    };
    Made {
        prompt: format!("Set the port of the server to {new}. Leave every other byte of the file as it is."),
        path: "settings.json",
        before: file(old),
        wanted: vec![file(new)],
        rule: Rule::Bytes,
    }
}

pub(super) fn keep_crlf(dice: &mut Dice) -> Made {
    let (old, new, other) = (dice.number(1, 9), dice.number(10, 99), dice.one(WORDS));
    let file = |size: u64| format!("; settings\r\n[window]\r\ntitle = {other}\r\nsize = {size}\r\n");
    Made {
        prompt: format!("Set size to {new}. Change nothing else."),
        path: "window.ini",
        before: file(old),
        wanted: vec![file(new)],
        rule: Rule::Bytes,
    }
}

pub(super) fn heading(dice: &mut Dice) -> Made {
    let (old, new, body) = (dice.one(WORDS), dice.number(2, 30), dice.one(WORDS));
    let file = |heading: &str| {
        format!(
            "# Notes\n\nThe {body} is near the lake.\n\n## {heading}\n\n- one  \n- two\n\n## Last\n\nThe end.\n"
        )
    };
    Made {
        prompt: format!(
            "Change the heading \"{old}\" to \"Chapter {new}\". Leave every other byte of the file as it is."
        ),
        path: "notes.md",
        before: file(old),
        wanted: vec![file(&format!("Chapter {new}"))],
        rule: Rule::Bytes,
    }
}

pub(super) fn no_final_newline(dice: &mut Dice) -> Made {
    let (old, new) = (dice.number(10, 49), dice.number(50, 99));
    let name = dice.one(WORDS);
    let file = |number: u64| format!("name={name}\nmode=fast\nworkers={number}");
    Made {
        prompt: format!(
            "Set workers to {new}. The last line has no line end and keeps none. Change nothing else."
        ),
        path: "pool.env",
        before: file(old),
        wanted: vec![file(new)],
        rule: Rule::Bytes,
    }
}
