//! A small reference differ: longest common subsequence over lines, hunks with context, LF only.

/// A line of a text as a diff sees it: its text, and whether it ends.
type Row<'t> = (&'t str, bool);

/// The lines of a text, CR before LF left out.
pub(super) fn rows(text: &str) -> Vec<Row<'_>> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), true),
            None => (line, false),
        })
        .collect()
}

/// What becomes of the lines: sign, place in the old text, place in the new one.
pub(super) fn script(old: &[Row<'_>], new: &[Row<'_>]) -> Vec<(char, usize, usize)> {
    let mut longest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            longest[i][j] =
                if a == b { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            steps.push((' ', i, j));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            steps.push(('-', i, j));
            i += 1;
        } else {
            steps.push(('+', i, j));
            j += 1;
        }
    }
    steps
}

/// The hunks that make `new` of `old`; empty where they are equal.
pub(super) fn hunks(old: &str, new: &str, context: usize) -> String {
    let (old, new) = (rows(old), rows(new));
    let steps = script(&old, &new);
    let near = |at: usize| {
        steps[at.saturating_sub(context)..(at + context + 1).min(steps.len())]
            .iter()
            .any(|step| step.0 != ' ')
    };
    let mut out = String::new();
    let mut at = 0;
    while at < steps.len() {
        if !near(at) {
            at += 1;
            continue;
        }
        let end = (at..steps.len()).find(|at| !near(*at)).unwrap_or(steps.len());
        let hunk = &steps[at..end];
        let count = |side: char| hunk.iter().filter(|step| step.0 == ' ' || step.0 == side).count();
        let (old_count, new_count) = (count('-'), count('+'));
        let start = |at: usize, count: usize| at + usize::from(count > 0);
        out += &format!(
            "@@ -{},{old_count} +{},{new_count} @@\n",
            start(hunk[0].1, old_count),
            start(hunk[0].2, new_count)
        );
        for (sign, i, j) in hunk {
            let (text, ends) = if *sign == '+' { new[*j] } else { old[*i] };
            out += &format!("{sign}{text}\n");
            if !ends {
                out += "\\ No newline at end of file\n";
            }
        }
        at = end;
    }
    out
}

/// A whole diff of one file.
pub(super) fn diff(path: &str, old: Option<&str>, new: &str) -> String {
    let from = if old.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let hunks = hunks(old.unwrap_or_default(), new, 3);
    let git = format!("diff --git a/{path} b/{path}\n");
    match old {
        _ if !hunks.is_empty() => format!("{git}--- {from}\n+++ b/{path}\n{hunks}"),
        None => format!("{git}new file mode 100644\nindex 0000000..e69de29\n"),
        Some(_) => String::new(),
    }
}
