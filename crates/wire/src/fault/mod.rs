//! Faults: named deviations of the wire. One row each; how to add one stands in docs/add-a-fault.md.
//!
//! A row breaks what the model wanted to say on its way to acts on a socket. It must not know sockets, clocks or scenario files.

mod answer;
mod black_hole;
pub mod chunked;
mod contents;
mod endpoint;
mod framing;
mod http;
mod life;
mod mid_body_drop;
mod param;
mod places;
mod tool_calls;
mod tool_pending_forever;
mod wanted;
mod work;

pub use crate::dialect::Dialects;
pub use answer::{APART, Answer, End, Event, Flow, Piece};
pub use param::{Param, ParamFault, ParamKind, Params, Place, check_params};
pub use wanted::{Faulted, Wanted};
pub use work::{Given, Named, Work, arrives, change_words, clash, play};

use crate::names::{equal, hint, nearest};

/// The fault by which the chat API shows what the model thinks.
pub const SHOWS_THOUGHTS: &str = contents::reasoning_content::ROW.name;

/// All faults.
pub const FAULTS: &[Fault] = &[
    // Framing of streams.
    framing::sse_keepalive_comment::ROW,
    framing::sse_comment_as_data::ROW,
    framing::sse_event_keepalive_empty::ROW,
    framing::sse_crlf::ROW,
    framing::sse_cr_only::ROW,
    framing::sse_crlf_split::ROW,
    framing::sse_no_space::ROW,
    framing::sse_multiline_data::ROW,
    framing::sse_byte_drip::ROW,
    framing::utf8_split::ROW,
    framing::sse_long_line::ROW,
    framing::done_missing::ROW,
    framing::done_then_open::ROW,
    framing::done_as_json::ROW,
    framing::data_after_done::ROW,
    framing::stream_wrong_content_type::ROW,
    framing::json_when_stream::ROW,
    framing::sse_when_json::ROW,
    // Life and death of answers.
    life::cut_clean::ROW,
    life::cut_mid_tool::ROW,
    life::cut_reset::ROW,
    life::cut_mid_json::ROW,
    life::done_no_finish::ROW,
    life::stall_first::ROW,
    life::stall_mid::ROW,
    life::stall_keepalive_only::ROW,
    life::failed_event_open_socket::ROW,
    life::error_in_stream::ROW,
    life::error_in_stream_anthropic::ROW,
    life::insufficient_system_resource::ROW,
    black_hole::ROW,
    mid_body_drop::ROW,
    life::slow_drip::ROW,
    // Contents of documents.
    contents::empty_choices_first::ROW,
    contents::empty_choices_usage::ROW,
    contents::choices_missing::ROW,
    contents::choices_empty_200::ROW,
    contents::finish_unknown::ROW,
    contents::finish_empty_string::ROW,
    contents::finish_null_final::ROW,
    contents::finish_stop_with_tools::ROW,
    contents::finish_tools_without_calls::ROW,
    contents::finish_length_with_tools::ROW,
    contents::finish_tools_truncated::ROW,
    contents::content_filter_empty::ROW,
    contents::refusal::ROW,
    contents::refusal_empty_content::ROW,
    contents::content_null_no_tools::ROW,
    contents::usage_null::ROW,
    contents::usage_details_null::ROW,
    contents::envelope_nulls::ROW,
    contents::native_finish_null::ROW,
    contents::reasoning_content::ROW,
    contents::zero_delta::ROW,
    contents::role_every_chunk::ROW,
    // Tool calls.
    tool_calls::tool_index_missing::ROW,
    tool_calls::tool_index_all_zero::ROW,
    tool_calls::tool_index_duplicate_in_chunk::ROW,
    tool_calls::tool_index_drift::ROW,
    tool_calls::tool_index_out_of_order::ROW,
    tool_calls::tool_id_empty::ROW,
    tool_calls::tool_id_missing::ROW,
    tool_calls::tool_id_reused::ROW,
    tool_calls::tool_id_long::ROW,
    tool_calls::tool_name_repeated::ROW,
    tool_calls::tool_name_split::ROW,
    tool_calls::tool_type_repeated::ROW,
    tool_calls::tool_args_empty::ROW,
    tool_calls::tool_args_object::ROW,
    tool_calls::tool_args_double::ROW,
    tool_calls::tool_args_invalid::ROW,
    tool_calls::tool_args_non_object::ROW,
    tool_calls::tool_args_huge::ROW,
    tool_calls::tool_unknown_name::ROW,
    tool_calls::tool_args_nested_string::ROW,
    tool_calls::tool_forever::ROW,
    tool_calls::parallel_tool_calls::ROW,
    tool_pending_forever::ROW,
    // HTTP errors.
    http::retry_after_seconds::ROW,
    http::retry_after_date::ROW,
    http::retry_after_ms::ROW,
    http::no_retry_after::ROW,
    http::huge_retry_after::ROW,
    http::overloaded::ROW,
    http::gateway_html::ROW,
    http::cloudflare_json::ROW,
    http::error_with_200::ROW,
    http::empty_with_200::ROW,
    http::html_with_200::ROW,
    http::context_length::EXCEEDED,
    http::context_length::MAXIMUM,
    http::context_length::PROMPT_TOO_LONG,
    http::context_length::INPUT_AND_MAX_TOKENS,
    http::context_length::TOKEN_COUNT,
    http::context_length::WRAPPED,
    http::error_shape::DETAIL,
    http::error_shape::MESSAGE,
    http::error_shape::STRING,
    http::error_shape::OBJECT,
    http::unsupported_parameter::ROW,
    http::unknown_parameter::ROW,
    http::payload_too_large::ROW,
    http::key_revoked::ROW,
    http::forbidden::ROW,
    http::model_missing::ROW,
    http::conflict::ROW,
    http::request_timeout::ROW,
    http::redirect_307::ROW,
    http::redirect_https::ROW,
    // What an endpoint does not take, and how it words things.
    endpoint::refuses_format::JSON_SCHEMA,
    endpoint::refuses_format::JSON_OBJECT,
    endpoint::refuses_format::SCHEMA_KEYWORD,
    endpoint::ignores_schema::ROW,
    endpoint::refuses_limit::MAX_TOKENS,
    endpoint::refuses_limit::MAX_COMPLETION_TOKENS,
    endpoint::refuses_limit::BOTH,
    endpoint::refuses_key::TEMPERATURE,
    endpoint::refuses_key::STREAM_OPTIONS,
    endpoint::refuses_key::TOOLS,
    endpoint::refuses_message::SYSTEM,
    endpoint::refuses_message::PARTS,
    endpoint::refuses_message::ALTERNATE,
    endpoint::refuses_message::REASONING,
    endpoint::context_cut::ROW,
    endpoint::around::THINK,
    endpoint::around::FENCE,
    endpoint::around::OTHER_FENCE,
    endpoint::around::PROSE,
    endpoint::content_parts::ROW,
    endpoint::answer_in_reasoning::ROW,
    endpoint::cut_at_length::ROW,
    endpoint::tool_instead::ROW,
    endpoint::choices_null::ROW,
    endpoint::usage_count_null::ROW,
    endpoint::done_after_json::ROW,
    endpoint::quota::FINAL,
    endpoint::quota::IN_WORDS,
    endpoint::quota::BAD_REQUEST,
    endpoint::loading::ROW,
];

const _: () = {
    let mut i = 0;
    while i < FAULTS.len() {
        let mut j = 0;
        while j < i {
            assert!(!equal(FAULTS[i].name, FAULTS[j].name), "two faults have one name");
            j += 1;
        }
        i += 1;
    }
};

/// A named deviation of the wire.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Name of the row: the word in files, tables and on the command line.
    pub name: &'static str,
    /// What it breaks, for tables.
    pub group: Group,
    /// What happens on the wire, in one line.
    pub summary: &'static str,
    /// The dialects that can have it.
    pub dialects: Dialects,
    /// What a file may set.
    pub params: &'static [Param],
    /// A scenario step that plays it, as JSON text.
    pub example: &'static str,
    /// Public reports of agents that it broke, as `owner/repository#number`; none where it follows from a format alone.
    pub reports: &'static [&'static str],
    /// What a correct client or agent does.
    pub right_reaction: &'static str,
    /// What reaches a correct client.
    pub arrives: Arrives,
    /// Whether an agent that meets it once may end there with a clear failure; else it must come to the end of its work.
    pub may_give_up: bool,
    /// Whether an agent that meets it again and again can only give up.
    pub hostile: bool,
    /// What it does to an answer.
    pub works: &'static [Work],
}

/// What a fault breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The lines and chunks of a stream.
    Framing,
    /// Whether, when and how an answer begins and ends.
    Life,
    /// What its documents hold beside tool calls.
    Contents,
    /// Tool calls.
    ToolCalls,
    /// An error or another page in the place of the answer.
    Http,
    /// What an endpoint does not take of a request. Such a fault lies over all of a script: it leaves alone who asks for nothing of
    /// the kind.
    Refusals,
    /// How an endpoint words what others word otherwise.
    Endpoint,
}

impl Group {
    /// As tables say it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Framing => "framing of streams",
            Self::Life => "life and death of answers",
            Self::Contents => "contents of documents",
            Self::ToolCalls => "tool calls",
            Self::Http => "HTTP errors",
            Self::Refusals => "what an endpoint does not take",
            Self::Endpoint => "how an endpoint words things",
        }
    }
}

/// What reaches a correct client of a faulted answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrives {
    /// The turn as the script says it: the work goes on from there.
    AsSaid,
    /// A turn, but its calls have other ids or other arguments than the script says.
    Otherwise,
    /// No turn: the client tries again or gives up.
    Not,
}

impl Fault {
    /// Whether it can take every request of a server, whatever that says (`serve --mode`).
    #[must_use]
    pub fn is_mode(&self) -> bool {
        self.hostile && matches!(self.works, [Work::Plan(_)])
    }

    /// Whether all that it changes is what the model says.
    #[must_use]
    pub fn only_words(&self) -> bool {
        self.works.iter().all(|work| matches!(work, Work::Words(_)))
    }
}

/// What is said of a name that no fault has, one sentence.
#[must_use]
pub fn unknown(name: &str) -> String {
    let near = nearest(name, FAULTS.iter().map(|row| row.name));
    let hint = hint(near, || "`rehearsal faults` lists them".to_owned());
    // It comes from outside and goes back there: a beginning is enough to know it by.
    let shown: String = name.chars().take(SHOWN).collect();
    let more = if shown.len() < name.len() { "…" } else { "" };
    format!("there is no fault {shown}{more}; {hint}")
}

/// Characters that are shown of a name that no fault has: more than the longest name has.
const SHOWN: usize = 80;

/// The row of this name.
#[must_use]
pub fn fault(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|row| row.name == name)
}
