//! Looking for a line of descent: one edge or a chain of them, verified down to the stored bytes.

use super::lineage::{Basis, EdgeKind};
use super::row::version;
use super::trouble::refuse;
use super::{Store, fact};
use crate::fact::{Fact, Proof};
use crate::refusal::{Code, Stop};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// What is asked of two versions.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Where it must begin: a version.
    pub input: &'a str,
    /// Where it must end: a version.
    pub output: &'a str,
    /// Only edges that stand on this word; any, where it is none.
    pub basis: Option<Basis>,
    /// Only edges of this kind; any, where it is none.
    pub kind: Option<EdgeKind>,
    /// Whether a chain of edges will do, too.
    pub path: bool,
    /// Whether there must be none.
    pub absent: bool,
    /// Whether the whole descent of the project must be free of circles.
    pub acyclic: bool,
}

/// An edge as it was found.
#[derive(Clone, Debug)]
struct Found {
    edge_id: String,
    input: String,
    output: String,
    kind: String,
    basis: String,
}

impl Found {
    fn shown(&self) -> Value {
        json!({
            "edge_id": self.edge_id, "input": self.input, "output": self.output,
            "kind": self.kind, "basis": self.basis,
        })
    }
}

impl Store {
    /// Looks for a line of descent. Where one is found, the stored bytes of every version on it are digested anew.
    ///
    /// The fact has `edges`, a list from input to output (`edge_id`, `input`, `output`, `kind`, `basis`), `length`, and `acyclic: true`
    /// where that was asked. It proves [`Proof::EdgeVerified`] where there is an edge.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN` for a version; `E_NO_EDGE`; `E_EXISTS` where there must be none; `E_CYCLE`; `E_DIGEST`.
    pub fn assert_lineage(&self, ask: &Ask<'_>) -> Result<Fact, Stop> {
        let session = self.session()?;
        // A name that nobody has is no answer, not even to the question whether there is no edge.
        version(&self.sql, session, ask.input)?;
        version(&self.sql, session, ask.output)?;
        let edges = self.line(ask)?;
        let mut fields =
            json!({ "length": edges.len(), "edges": edges.iter().map(Found::shown).collect::<Vec<_>>() });
        if ask.acyclic {
            self.free_of_circles(&session.project_id)?;
            fields["acyclic"] = true.into();
        }
        let between = format!("{} to {}", ask.input, ask.output);
        match (edges.is_empty(), ask.absent) {
            (true, true) => Ok(fact(fields)),
            (true, false) => Err(refuse(Code::NoEdge, format!("there is no such line from {between}"))),
            (false, true) => Err(refuse(Code::Exists, format!("there is a line from {between}"))),
            (false, false) => {
                let ends = edges.iter().map(|edge| edge.output.as_str());
                for version_id in std::iter::once(ask.input).chain(ends) {
                    let version = version(&self.sql, session, version_id)?;
                    self.content.get(&version.checksum, version.size)?;
                }
                Ok(fact(fields).proving(Proof::EdgeVerified))
            }
        }
    }

    /// The shortest line from the input to the output, of edges as they are asked for; none of them where there is no line.
    fn line(&self, ask: &Ask<'_>) -> Result<Vec<Found>, Stop> {
        // By which edge each version was reached first.
        let mut reached: BTreeMap<String, Found> = BTreeMap::new();
        let mut waiting = VecDeque::from([ask.input.to_owned()]);
        while let Some(at) = waiting.pop_front() {
            for edge in self.edges_from(&at, ask)? {
                if edge.output != ask.input && !reached.contains_key(&edge.output) {
                    waiting.push_back(edge.output.clone());
                    reached.insert(edge.output.clone(), edge);
                }
            }
            if !ask.path || reached.contains_key(ask.output) {
                break;
            }
        }
        let mut line = Vec::new();
        let mut at = ask.output.to_owned();
        while let Some(edge) = reached.remove(&at) {
            at.clone_from(&edge.input);
            line.push(edge);
        }
        line.reverse();
        Ok(line)
    }

    fn edges_from(&self, input: &str, ask: &Ask<'_>) -> Result<Vec<Found>, Stop> {
        let mut statement = self.sql.prepare_cached(
            "SELECT edge_id, input_version_id, output_version_id, kind, basis FROM lineage_edges
             WHERE input_version_id = ?1 AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR basis = ?3)
             ORDER BY created_at, edge_id",
        )?;
        let wanted = (input, ask.kind.map(EdgeKind::word), ask.basis.map(Basis::word));
        let rows = statement.query_map(wanted, |row| {
            Ok(Found {
                edge_id: row.get(0)?,
                input: row.get(1)?,
                output: row.get(2)?,
                kind: row.get(3)?,
                basis: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Takes away, again and again, what has no input that is left: what stays at the end is a circle. The schema lets none in, so this
    /// looks whether it held.
    fn free_of_circles(&self, project_id: &str) -> Result<(), Stop> {
        let mut statement = self.sql.prepare_cached(
            "SELECT input_version_id, output_version_id FROM lineage_edges
             JOIN artifact_versions ON version_id = output_version_id
             JOIN artifacts USING (artifact_id) WHERE project_id = ?1",
        )?;
        let rows = statement
            .query_map([project_id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut outputs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut inputs: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows {
            let (input, output) = row?;
            inputs.entry(input.clone()).or_default();
            *inputs.entry(output.clone()).or_default() += 1;
            outputs.entry(input).or_default().push(output);
        }
        let mut free: Vec<String> =
            inputs.iter().filter(|(_, count)| **count == 0).map(|(version, _)| version.clone()).collect();
        let mut left = inputs.len();
        while let Some(version) = free.pop() {
            left -= 1;
            for output in outputs.remove(&version).unwrap_or_default() {
                if let Some(count) = inputs.get_mut(&output) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(output);
                    }
                }
            }
        }
        if left > 0 {
            return Err(refuse(Code::Cycle, format!("{left} versions come from each other in a circle")));
        }
        Ok(())
    }
}
