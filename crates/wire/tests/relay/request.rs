//! The way of a request: its model, its prompt, and which prompts are the same.

use rehearsal_wire::json::parse;
use rehearsal_wire::relay::request::{RequestFault, check, rename};
use rehearsal_wire::relay::same_input::{Form, last_user_text, normal};

#[test]
fn only_the_top_level_model_changes() {
    for (body, wanted) in [
        (r#"{"model":"public"}"#, r#"{"model":"/m \"x\""}"#),
        (
            "{ \"temperature\": 1e0,\r\n\t\"model\" :\"pub\\u006cic\" , \"x\":{\"model\":\"public\"},\"s\":\"\\ud800\\/é\",\"d\":1,\"d\":2} \n",
            "{ \"temperature\": 1e0,\r\n\t\"model\" :\"/m \\\"x\\\"\" , \"x\":{\"model\":\"public\"},\"s\":\"\\ud800\\/é\",\"d\":1,\"d\":2} \n",
        ),
        (r#"{"mod\u0065l":[1,2],"messages":[]}"#, r#"{"mod\u0065l":"/m \"x\"","messages":[]}"#),
    ] {
        let renamed = rename(&parse(body.as_bytes()).unwrap(), "/m \"x\"").unwrap();
        assert_eq!(String::from_utf8(renamed).unwrap(), wanted);
    }
}

#[test]
fn refuses_what_can_be_read_in_two_ways() {
    for (body, fault) in [
        ("[]", RequestFault::NoObject),
        ("\"model\"", RequestFault::NoObject),
        ("{}", RequestFault::NoModel),
        (r#"{"x":{"model":"a"}}"#, RequestFault::NoModel),
        (r#"{"model":"a","model":"a"}"#, RequestFault::Twice("model")),
        (r#"{"model":"a","x":1,"mod\u0065l":"b"}"#, RequestFault::Twice("model")),
        (r#"{"messages":[],"model":"a","messages":[]}"#, RequestFault::Twice("messages")),
    ] {
        assert_eq!(rename(&parse(body.as_bytes()).unwrap(), "x"), Err(fault), "{body}");
    }
    assert_eq!(check(parse(b"{\"x\":1,\"x\":2}").unwrap().root()), Ok(()), "other keys may repeat");
}

#[test]
fn prompts_are_the_same_but_for_lines_and_bullets() {
    let base = "# Note\n\nRewrite this in the first  two sentences.\n- alpha\n- beta\n";
    for same in [
        base.replace('\n', "\r\n"),
        base.replace("- alpha", "* alpha"),
        format!("\n\n{}\n \t\n", base.replace('\n', "\n\n\n")),
        base.lines().map(|line| format!("  {line}\t\u{A0}\u{2003}\u{1F}\n")).collect(),
        base.trim().to_owned(),
    ] {
        assert_eq!(normal(&same), normal(base), "{same:?}");
        assert_ne!(Form::Exact.normal(&same) == Form::Exact.normal(base), !same.contains("\r\n"), "{same:?}");
    }
    for other in [
        base.replace("- alpha", "+ alpha"),
        base.replace("- alpha", "-alpha"),
        base.replace("first  two", "first two"),
        base.replace("Note", "note"),
        base.replace("- alpha\n- beta", "- beta\n- alpha"),
        base.replace("- alpha", "1. alpha"),
        base.replace("alpha\n", "alpha\r"),
        format!("{base}x"),
    ] {
        assert_ne!(normal(&other), normal(base), "{other:?}");
    }
    assert_eq!(normal("*\n* \n*  x\n- y\n**z"), "*\n*\n-  x\n- y\n**z");
    assert_eq!(normal(" \n\r\n"), "");
}

#[test]
fn the_prompt_is_the_last_user_message_if_it_is_all_text() {
    let user = |content: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":"first"}},{{"role":"user","content":{content}}},{{"role":"assistant","content":"no"}}]}}"#
        )
    };
    for (body, text) in [
        (user(r#""h\u0069""#), Some("hi")),
        (user(r#"[{"type":"text","text":"h"},{"type":"text","text":"i"}]"#), Some("hi")),
        (user("[]"), Some("")),
        (user(r#"[{"type":"text","text":"h"},{"type":"image_url","image_url":{}}]"#), None),
        (user(r#"[{"type":"text"}]"#), None),
        (user(r#"[{"type":"text","text":5}]"#), None),
        (user(r#"["hi"]"#), None),
        (user(r#"[{"text":"hi"}]"#), None),
        (user("null"), None),
        (user(r#"{"type":"text","text":"h"}"#), None),
        (r#"{"messages":[{"role":"user"}]}"#.to_owned(), None),
        (r#"{"messages":[null,5,[],{"role":5,"content":"x"}]}"#.to_owned(), None),
        (r#"{"messages":{"role":"user","content":"x"}}"#.to_owned(), None),
        ("{}".to_owned(), None),
        ("[]".to_owned(), None),
    ] {
        let tape = parse(body.as_bytes()).unwrap();
        assert_eq!(last_user_text(tape.root()).as_deref(), text, "{body}");
    }
}
