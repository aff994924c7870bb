//! `rehearsal serve --play NAME`: what leaves under a fault, byte for byte, plain and streamed, without a server.

use rehearsal_script::drill::Drill;
use rehearsal_script::scenario::FaultCall;
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::dialect::{DIALECTS, Dialect, Origin};
use rehearsal_wire::fault::{Faulted, Named, Wanted, change_words, play};
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};
use std::fmt::Write as _;

/// Bytes of one write that are shown; what is longer is told.
const SHOWN: usize = 4096;

/// What leaves, in the first dialect that has the fault.
pub(super) fn bytes(drill: &Drill) -> String {
    let mut out = String::new();
    let has = |dialect: &&Dialect| drill.rows.iter().all(|row| row.dialects.include(dialect.name));
    let Some(dialect) = DIALECTS.iter().find(has) else {
        return format!("no dialect has {} together\n", drill.name);
    };
    for (form, stream) in [("plain", false), ("streamed", true)] {
        let _ = writeln!(out, "{}, {form}", dialect.name);
        match faulted(drill, dialect, stream) {
            Some(faulted) => acts(&mut out, &faulted.plan),
            None => out.push_str("  as without it: there is nothing that it breaks\n"),
        }
        out.push('\n');
    }
    out
}

/// What becomes of a text, or, where that holds nothing to break, of two calls.
fn faulted(drill: &Drill, dialect: &Dialect, stream: bool) -> Option<Faulted> {
    let usage = Usage { prompt: 10, completion: 5 };
    let call = |k: usize, path: &str| IssuedCall {
        id: format!("call_{k}"),
        name: "read_file".to_owned(),
        arguments: format!("{{\"path\": \"{path}\"}}"),
    };
    let text = Reply { text: Some("It is 20 °C.".to_owned()), usage, ..Reply::default() };
    let calls = Reply { calls: vec![call(0, "a.txt"), call(1, "b.txt")], usage, ..Reply::default() };
    [text, calls].into_iter().find_map(|mut reply| {
        let named: Vec<Named<'_>> = drill.faults.iter().filter_map(FaultCall::named).collect();
        let named = change_words(&named, &mut reply);
        let origin = Origin { step: Some(("example", 0)), bits: 0x0123_4567_89ab_cdef, kept: false };
        let envelope = Envelope {
            include_usage: true,
            ..Envelope::plain((dialect.id)(&origin), 1_767_225_600, "\"a-model\"".to_owned())
        };
        play(
            &named,
            &Wanted {
                dialect,
                reply: Some(&reply),
                envelope: &envelope,
                stream,
                request: None,
                head: &ResponseHead::new(200),
                params: &[],
                seed: 1,
                ordinal: 1,
            },
        )
    })
}

fn acts(out: &mut String, plan: &Plan) {
    for act in &plan.acts {
        match act {
            Act::Write(bytes) => {
                let _ = writeln!(out, "  write {} bytes", bytes.len());
                lines(out, bytes);
            }
            Act::Wait(time) => {
                let _ = writeln!(out, "  wait {} ms", time.as_millis());
            }
            Act::HalfClose => out.push_str("  send FIN\n"),
            Act::Abort => out.push_str("  reset the connection\n"),
            Act::Stall => out.push_str("  send nothing more, keep the connection open\n"),
        }
    }
    out.push_str(match plan.after {
        After::KeepAlive => "  keep the connection for the next request\n",
        After::Close => "  close\n",
    });
}

/// Bytes as text, line ends and what is no letter as escapes.
fn lines(out: &mut String, bytes: &[u8]) {
    let (shown, left) = bytes.split_at(bytes.len().min(SHOWN));
    for line in shown.split_inclusive(|byte| *byte == b'\n') {
        out.push_str("    ");
        for part in line.utf8_chunks() {
            for letter in part.valid().chars() {
                match letter {
                    '\r' => out.push_str("\\r"),
                    '\n' => out.push_str("\\n"),
                    '\\' => out.push('\\'),
                    letter if letter.is_control() => out.extend(letter.escape_default()),
                    letter => out.push(letter),
                }
            }
            for byte in part.invalid() {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
        out.push('\n');
    }
    if !left.is_empty() {
        let _ = writeln!(out, "    … and {} bytes more", left.len());
    }
}
