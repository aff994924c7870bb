//! Things that wait for each other: which of them do so in a circle. Linear in things and waits: a file may hold tens of thousands.

/// A number for each thing; two have the same one where each waits for the other in the end. `waits` says for whom each waits, by place.
pub(crate) fn groups(waits: &[Vec<usize>]) -> Vec<usize> {
    let mut behind = vec![Vec::new(); waits.len()];
    for (thing, list) in waits.iter().enumerate() {
        for other in list {
            behind[*other].push(thing);
        }
    }
    // Kosaraju: walked backwards from whoever was left last, each walk stays within one group.
    let left: Vec<usize> = walks(waits, 0..waits.len()).concat();
    let mut groups = vec![0; waits.len()];
    for (group, walk) in walks(&behind, left.into_iter().rev()).iter().enumerate() {
        for thing in walk {
            groups[*thing] = group;
        }
    }
    groups
}

/// Walks from each of these that none before it came by, as far as they lead: the things of each in the order in which they were left.
/// Without recursion, for a chain may be long.
fn walks(next: &[Vec<usize>], from: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut seen = vec![false; next.len()];
    let mut walks = Vec::new();
    for first in from {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        // Each with how many of its ways were gone.
        let (mut path, mut walk) = (vec![(first, 0)], Vec::new());
        while let Some((thing, gone)) = path.last_mut() {
            match next[*thing].get(*gone).copied() {
                Some(way) => {
                    *gone += 1;
                    if !std::mem::replace(&mut seen[way], true) {
                        path.push((way, 0));
                    }
                }
                None => {
                    walk.push(*thing);
                    path.pop();
                }
            }
        }
        walks.push(walk);
    }
    walks
}

#[cfg(test)]
mod tests {
    use super::groups;
    use proptest::prelude::*;

    /// Whether a way leads from one to the other, step by step.
    fn leads(waits: &[Vec<usize>], from: usize, to: usize) -> bool {
        let mut reached = vec![from];
        let mut at = 0;
        while let Some(thing) = reached.get(at).copied() {
            for next in &waits[thing] {
                if !reached.contains(next) {
                    reached.push(*next);
                }
            }
            at += 1;
        }
        reached.contains(&to)
    }

    proptest! {
        #[test]
        fn a_group_is_whoever_leads_to_each_other(
            waits in prop::collection::vec(prop::collection::vec(0_usize..9, 0..4), 9),
        ) {
            let groups = groups(&waits);
            for (one, group) in groups.iter().enumerate() {
                for (other, of_other) in groups.iter().enumerate() {
                    let both = leads(&waits, one, other) && leads(&waits, other, one);
                    prop_assert_eq!(group == of_other, both, "{} {} {:?}", one, other, waits);
                }
            }
        }
    }
}
