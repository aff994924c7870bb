//! Any bytes: the follower never panics, keeps no more than allowed and tells the same in one piece and byte by byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rehearsal_wire::follow::Follower;

const MAX: usize = 256;

fuzz_target!(|bytes: &[u8]| {
    let (mut whole, mut single) = (Follower::new(MAX), Follower::new(MAX));
    whole.feed(bytes);
    bytes.chunks(1).for_each(|byte| single.feed(byte));
    loop {
        let (a, b) = (whole.next_head(), single.next_head());
        assert_eq!(a, b);
        let Some(head) = a else { break };
        let _ = (head.method(), head.target(), head.version(), head.headers().count(), head.fault());
    }
    assert_eq!((whole.partial(), whole.lost()), (single.partial(), single.lost()));
    assert!(whole.partial().len() <= MAX);
});
