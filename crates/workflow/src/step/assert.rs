//! `assert`: looks again at what earlier steps observed. Its inputs are what it observes; it vouches for nothing.

use super::permission::Needs;
use super::{Step, Work};
use rehearsal_script::workflow::{StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "assert",
        reference: &[],
        summary: "Holds values that other steps observed against each other: what stands in `with` is what `expect` is asked of.",
        inputs: &[],
        gives: &[],
        gives_more: true,
        refuses: &[],
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: assert\nwith: {one: \"${first.checksum}\"}\nexpect: {one: \"${second.checksum}\"}\n",
    },
    needs: Needs::Nothing,
    work: Work::Restate,
};
