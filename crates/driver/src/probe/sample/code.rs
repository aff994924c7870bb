//! Tasks on small programs.

use super::dice::Dice;
use super::{Made, Rule};

const NAMES: &[&str] = &["total", "collect", "measure", "weigh", "gather", "tally"];
const NEW_NAMES: &[&str] = &["sum_up", "add_all", "count_of", "whole_of"];
const KINDS: &[&str] = &["medium", "large", "huge", "tiny", "flat"];

pub(super) fn rename_function(dice: &mut Dice) -> Made {
    let (old, new, start) = (dice.one(NAMES), dice.one(NEW_NAMES), dice.number(0, 9));
    let program = |name: &str| {
        format!(
            "def {name}(values):\n    result = {start}\n    for value in values:\n        result += value\n    return result\n\n\ndef report(values):\n    return \"result: \" + str({name}(values))\n"
        )
    };
    Made {
        prompt: format!(
            "Rename the function {old} to {new}, where it is defined and where it is called. Change nothing else."
        ),
        path: "tally.py",
        before: program(old),
        wanted: vec![program(new)],
        rule: Rule::Code,
    }
}

pub(super) fn off_by_one(dice: &mut Dice) -> Made {
    let (name, step) = (dice.one(NAMES), dice.number(2, 9));
    let program = |end: &str| {
        format!(
            "def {name}(last):\n    result = 0\n    for number in range(1, {end}):\n        result += number * {step}\n    return result\n"
        )
    };
    Made {
        prompt: format!(
            "The loop of {name} stops one too early: it must include the number `last` itself. Fix the range, and change nothing else."
        ),
        path: "loop.py",
        before: program("last"),
        wanted: vec![program("last + 1"), program("1 + last")],
        rule: Rule::Code,
    }
}

pub(super) fn add_branch(dice: &mut Dice) -> Made {
    let (kind, price, other) = (dice.one(KINDS), dice.number(10, 99), dice.number(100, 999));
    let program = |branch: &str| {
        format!("def price(kind):\n    if kind == \"small\":\n        return 3\n{branch}    return {other}\n")
    };
    let branch = |word: &str, quote: &str| {
        program(&format!("    {word} kind == {quote}{kind}{quote}:\n        return {price}\n"))
    };
    Made {
        prompt: format!(
            "Directly behind the branch for \"small\", add a branch of two lines: where kind equals \"{kind}\", return {price}. Change nothing else, and add no comments or blank lines."
        ),
        path: "price.py",
        before: program(""),
        wanted: vec![branch("if", "\""), branch("elif", "\""), branch("if", "'"), branch("elif", "'")],
        rule: Rule::Code,
    }
}

pub(super) fn constant(dice: &mut Dice) -> Made {
    let (old, new, port) = (dice.number(1, 50), dice.number(51, 99), dice.number(1000, 9000));
    let program = |limit: u64| {
        format!(
            "/// Most items.\npub const LIMIT: usize = {limit};\n/// The port.\npub const PORT: u16 = {port};\n\npub fn fits(count: usize) -> bool {{\n    count <= LIMIT\n}}\n"
        )
    };
    Made {
        prompt: format!("Set the constant LIMIT to {new}. Change nothing else."),
        path: "limits.rs",
        before: program(old),
        wanted: vec![program(new)],
        rule: Rule::Code,
    }
}

pub(super) fn remove_line(dice: &mut Dice) -> Made {
    let (name, word) = (dice.one(NAMES), dice.one(KINDS));
    let program = |line: &str| {
        format!(
            "function {name}(list) {{\n  let size = 0;\n{line}  for (const item of list) {{\n    size += item.size;\n  }}\n  return size;\n}}\n"
        )
    };
    Made {
        prompt: "Remove the line that writes to the console. Change nothing else.".to_owned(),
        path: "size.js",
        before: program(&format!("  console.log(\"{word}\", list);\n")),
        wanted: vec![program("")],
        rule: Rule::Code,
    }
}

pub(super) fn add_import(dice: &mut Dice) -> Made {
    let (module, name) = (dice.one(&["json", "math", "re", "time"]), dice.one(NAMES));
    let program =
        |line: &str| format!("import os\n{line}\n\ndef {name}(path):\n    return os.path.exists(path)\n");
    Made {
        prompt: format!("Add the line `import {module}` directly below `import os`. Change nothing else."),
        path: "paths.py",
        before: program(""),
        wanted: vec![program(&format!("import {module}\n"))],
        rule: Rule::Code,
    }
}
