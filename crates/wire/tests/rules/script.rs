//! Scripts for the tests: one that knows nothing, and a small one that the examples of the table speak of.

use rehearsal_wire::rule::{Echo, Expected, Issued, Scripted};

/// No scenario, no call of ours.
pub(crate) struct Nothing;

impl Scripted for Nothing {
    fn issued(&self, _: &str) -> Issued<'_> {
        Issued::Foreign
    }
    fn ids_of_step(&self, _: usize) -> Vec<String> {
        Vec::new()
    }
    fn text_of_step(&self, _: usize) -> Option<&str> {
        None
    }
    fn thinking_of_step(&self, _: usize) -> Option<&str> {
        None
    }
    fn has_fault(&self, _: usize, _: &str) -> bool {
        false
    }
    fn replied(&self, _: &str) -> bool {
        false
    }
    fn expected(&self) -> Option<&Expected> {
        None
    }
    fn echo(&self) -> Echo {
        Echo::Exact
    }
}

/// Phrasing `p` with two calls at step 0 and one with words at step 1; phrasing `q` with a call at step 0.
pub(crate) struct Small {
    pub(crate) echo: Echo,
    pub(crate) expected: Expected,
    /// The arguments of every call.
    pub(crate) arguments: &'static str,
}

impl Default for Small {
    fn default() -> Self {
        Self { echo: Echo::Exact, expected: Expected::default(), arguments: r#"{"a":1}"# }
    }
}

impl Small {
    /// Expects all that can be expected, so that each expectation can be broken alone.
    pub(crate) fn demanding() -> Self {
        let expected = Expected {
            require_tools: true,
            forbid_tools: true,
            require_tool_choice: true,
            parallel_tool_calls: Some(false),
            system_contains: vec!["terse".to_owned()],
            tools_include: vec!["g".to_owned()],
            values: vec![("/seed".to_owned(), "7".to_owned())],
        };
        Self { expected, ..Self::default() }
    }
}

impl Scripted for Small {
    fn issued(&self, id: &str) -> Issued<'_> {
        let call = |step, name, ours| Issued::Call { step, name, arguments: self.arguments, ours };
        match id {
            "call_gate_p_s0_0" => call(0, "write_file", true),
            "call_gate_p_s0_1" => call(0, "read_file", true),
            "call_gate_p_s1_0" => call(1, "write_file", true),
            "call_gate_q_s0_0" => call(0, "write_file", false),
            other if other.starts_with(rehearsal_wire::rule::ID_PREFIX) => Issued::Never("no such step"),
            _ => Issued::Foreign,
        }
    }

    fn ids_of_step(&self, step: usize) -> Vec<String> {
        let ids: &[&str] = match step {
            0 => &["call_gate_p_s0_0", "call_gate_p_s0_1"],
            1 => &["call_gate_p_s1_0"],
            _ => &[],
        };
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    fn text_of_step(&self, step: usize) -> Option<&str> {
        (step == 1).then_some("Narrated.")
    }

    fn thinking_of_step(&self, step: usize) -> Option<&str> {
        (step == 0).then_some("Two calls will do.")
    }

    fn has_fault(&self, step: usize, name: &str) -> bool {
        step == 0 && name == "reasoning-content"
    }

    fn replied(&self, id: &str) -> bool {
        id.contains("_gate_p_s")
    }

    fn expected(&self) -> Option<&Expected> {
        Some(&self.expected)
    }

    fn echo(&self) -> Echo {
        self.echo
    }
}
