//! A member that only one provider has is null.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Event, Fault, Given, Group, Param, ParamKind, Work};

const FIELD: Param =
    Param { name: "field", kind: ParamKind::Text, default: "\"native_finish_reason\"", doc: "the member" };

pub(in crate::fault) const ROW: Fault = Fault {
    name: "native-finish-null",
    group: Group::Contents,
    summary: "each choice has a member of the provider's own, and it is null",
    dialects: CHAT,
    params: &[FIELD],
    example: r#"{"fault": "native-finish-null", "text": "hello"}"#,
    reports: &["pydantic/pydantic-ai#3581"],
    right_reaction: "a member that nobody needs may be null; the answer is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, given| documents(events, given))],
};

fn documents(events: &mut [Event], given: &Given<'_>) -> bool {
    let name = given.params.text(&FIELD);
    everywhere(events, &["/choices/*"], |choice| choice.set(&name, "null"))
}
