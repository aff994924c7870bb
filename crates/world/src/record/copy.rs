//! Copies a journal into another folder, under its own name or another one.

use super::name::Name;
use crate::files;
use std::io;
use std::path::Path;

/// Copies all segments of a journal, lines and bodies as they are. Says whether there was one.
///
/// # Errors
/// When something cannot be read or written, or has that name already.
pub fn copy_journal(from: &Path, name: &Name, to: &Path, copied: &Name) -> io::Result<bool> {
    files::private_folders(to)?;
    for segment in 1..=u32::MAX {
        let ((lines, bodies), (new_lines, new_bodies)) = (name.files(segment), copied.files(segment));
        if !files::is_there(&from.join(&lines)) {
            return Ok(segment > 1);
        }
        for (old, new) in [(lines, new_lines), (bodies, new_bodies)] {
            let mut source = files::open_regular(&from.join(old))?;
            io::copy(&mut source, &mut files::create_private(&to.join(new))?)?;
        }
    }
    Ok(true)
}
