//! Which links stay inside.

use super::*;

#[test]
fn a_link_stays_inside_only_where_nothing_can_lead_it_out() {
    for (holds, depth, inside) in [
        ("a", 0, true),
        ("a/b", 0, true),
        ("./a", 0, true),
        ("..", 0, false),
        ("..", 1, true),
        ("../a", 1, true),
        ("../../a", 1, false),
        // Through `a`, which may be a link itself, `..` is somewhere else.
        ("a/..", 0, false),
        ("a/../b", 5, false),
        ("/etc", 3, false),
        ("./../a", 0, false),
    ] {
        assert_eq!(stays(Path::new(holds), depth), inside, "{holds} at {depth}");
    }
}
