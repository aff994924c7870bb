//! Any bytes: the event reader never panics and reads the same in one piece and byte by byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_wire::sse::SseReader;

fuzz_target!(|bytes: &[u8]| {
    let (mut whole, mut single) = (SseReader::new(64), SseReader::new(64));
    let ended = whole.feed(bytes);
    let ended_single = bytes.chunks(1).try_for_each(|byte| single.feed(byte));
    assert_eq!(ended, ended_single);
    loop {
        let (a, b) = (whole.next_event(), single.next_event());
        assert_eq!(a, b);
        if a.is_none() {
            break;
        }
    }
});
