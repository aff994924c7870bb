//! Keeps what a peer chose within what a line may hold: a line that no reader accepts would spoil its whole journal.

use crate::event::Asked;

/// Most bytes of one text, before it is written as JSON.
const TEXT: usize = 16 << 10;

/// Most bytes of one list. As JSON a byte becomes six at most, so that all of it stays far below [`crate::line::MAX_LINE`].
const LIST: usize = 1 << 20;

/// What an element costs beside its text.
const ELEMENT: usize = 16;

/// Cuts texts and lists that a peer made too long. Method, path and headers are bounded where they are read.
pub fn asked(asked: &mut Asked) {
    if let Some(reject) = &mut asked.reject {
        text(&mut reject.message);
        text(&mut reject.pointer);
        reject.code.iter_mut().chain(&mut reject.param).for_each(text);
    }
    for note in &mut asked.notes {
        text(&mut note.message);
        text(&mut note.pointer);
    }
    list(&mut asked.notes, |note| note.message.len() + note.pointer.len());
    asked.answers.iter_mut().for_each(text);
    list(&mut asked.answers, String::len);
}

fn text(text: &mut String) {
    if text.len() > TEXT {
        let end = (0..=TEXT).rfind(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
}

fn list<T>(list: &mut Vec<T>, size: impl Fn(&T) -> usize) {
    let mut room = LIST;
    let fits = |element: &T| match room.checked_sub(size(element) + ELEMENT) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    let fitting = list.iter().map(fits).take_while(|fits| *fits).count();
    list.truncate(fitting);
}
