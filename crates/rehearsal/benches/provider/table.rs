//! The printed rows: figure, bare's figure, ratio and its target.

/// One printed row.
pub(crate) struct Row {
    name: String,
    cells: Vec<String>,
}

pub(crate) fn heading() {
    println!("what: ours | bare | ratio (must reach) | processor time a request");
}

impl Row {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), cells: Vec::new() }
    }

    pub(crate) fn figure(mut self, ours: String, bare: String) -> Self {
        self.cells.extend([ours, bare]);
        self
    }

    pub(crate) fn ratio(mut self, ratio: f64, must: f64) -> Self {
        self.cells.push(format!("{ratio:.2} (at least {must:.2}: {})", word(ratio >= must)));
        self
    }

    pub(crate) fn at_most(mut self, value: f64, most: f64) -> Self {
        self.cells.push(format!("{value:.2} (at most {most:.1}: {})", word(value <= most)));
        self
    }

    pub(crate) fn cpu(mut self, ours: f64, bare: f64, ratio: f64, most: Option<f64>) -> Self {
        let target =
            most.map_or(String::new(), |most| format!(" (at most {most:.1}: {})", word(ratio <= most)));
        self.cells.push(format!("{ours:.1} against {bare:.1} µs, {ratio:.2}{target}"));
        self
    }

    pub(crate) fn note(mut self, text: &str) -> Self {
        self.cells.push(text.to_owned());
        self
    }

    pub(crate) fn print(self) {
        println!("{}: {}", self.name, self.cells.join(" | "));
    }
}

fn word(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
