//! How fast the session store is: figures, no limits. `cargo bench -p rehearsal-lab`
#![expect(clippy::disallowed_methods, reason = "a bench has its own clock and files")]
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "figures are printed")]
#![expect(dead_code, reason = "tests use the rest of what they share with it")]

#[path = "../tests/store/stand.rs"]
mod stand;

use rehearsal_lab::store::Store;
use stand::{Place, derived, moments, save, text};
use std::time::Instant;

fn main() {
    for (name, place) in [("in memory", Place::in_memory("speed")), ("on the disk", Place::new("speed"))] {
        let rounds = 200_u32;
        // The image of a new store is made once a process.
        drop(Store::create(&place.path().join("first"), moments()).unwrap());
        let (mut made, mut opened, mut closed) = (vec![], vec![], vec![]);
        for round in 0..rounds {
            let root = place.path().join(format!("{round}"));
            let start = Instant::now();
            let mut store = Store::create(&root, moments()).unwrap();
            store.open_session("benchmark").unwrap();
            made.push(start.elapsed().as_micros());
            let start = Instant::now();
            drop(store);
            closed.push(start.elapsed().as_micros());
            let start = Instant::now();
            drop(Store::open(&root, moments()).unwrap());
            opened.push(start.elapsed().as_micros());
        }
        for (what, mut times) in
            [("create and open session", made), ("close", closed), ("open again and close", opened)]
        {
            times.sort_unstable();
            println!(
                "{name}: {what}: median {} us, worst {} us",
                times[times.len() / 2],
                times[times.len() - 1]
            );
        }
        saves(name, &place);
    }
}

/// Saves that come from each other, with bytes that are there and with new ones.
fn saves(name: &str, place: &Place) {
    let mut store = Store::create(&place.path().join("saves"), moments()).unwrap();
    store.open_session("benchmark").unwrap();
    for same in [true, false] {
        let saves = if name == "in memory" { 10_000 } else { 1000 };
        let start = Instant::now();
        let mut last = text(&save(&mut store, "first", "x", &[]).unwrap(), "version_id");
        for number in 0..saves {
            let content = if same { "x".to_owned() } else { format!("content {number}") };
            let saved = save(&mut store, &format!("{same} {number}"), &content, &[derived(&last)]).unwrap();
            last = text(&saved, "version_id");
        }
        let rate = f64::from(saves) / start.elapsed().as_secs_f64();
        let what = if same { "the same bytes" } else { "new bytes" };
        println!("{name}: saves with an edge, {what}: {rate:.0} a second");
    }
}
