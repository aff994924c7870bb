//! What is written at a stretch for speed is what a plain loop would write: header lines, hexadecimal digits.

use proptest::prelude::*;
use rehearsal_wire::dialect::push_hex;
use rehearsal_wire::head::ResponseHead;

proptest! {
    #[test]
    fn no_text_of_a_header_breaks_the_framing(
        headers in prop::collection::vec(("[\\x00-\\x7fé]{0,12}", "[\\x00-\\x7fé]{0,300}"), 0..6),
    ) {
        let harmless = |text: &str| -> String {
            text.chars().map(|c| if c.is_ascii_control() && c != '\t' { ' ' } else { c }).collect()
        };
        let head = headers.iter().fold(ResponseHead::new(200), |head, (name, value)| head.with(name.clone(), value.clone()));
        let lines: String = headers.iter().map(|(name, value)| format!("{}: {}\r\n", harmless(name), harmless(value))).collect();
        prop_assert_eq!(String::from_utf8(head.to_bytes()).unwrap(), format!("HTTP/1.1 200 OK\r\n{lines}\r\n"));
    }

    #[test]
    fn ids_end_in_the_hexadecimal_digits_of_their_bits(bits in any::<u64>(), digits in 0_u32..20) {
        let mut out = String::from("x_");
        push_hex(&mut out, bits, digits);
        prop_assert_eq!(out, format!("x_{}", &format!("{bits:016x}")[..digits.min(16) as usize]));
    }
}
