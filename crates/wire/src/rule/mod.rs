//! Rules: named checks of a request, in the order in which they are applied, with the profiles that hold them.
//!
//! One file, one check. Adding one: its file with a `ROW`, its `mod` line, its line in [`RULES`].

mod apply;
mod echo;
mod foreign;
mod row;
mod say;
mod script;
mod set;
pub(crate) mod shape;

mod answer_missing;
mod answer_twice;
mod answer_without_call;
mod answers_follow_calls;
mod anthropic_fields;
mod anthropic_headers;
mod anthropic_top_keys;
mod anthropic_version_header;
mod arguments_double_encoded;
mod assistant_content;
mod call_id_length;
mod call_ids_unique;
mod completions_leaks;
mod completions_shape;
mod completions_unknown_parameter;
mod documented_shape;
mod duplicate_keys;
mod echo_complete;
mod echo_known_id;
mod echo_order;
mod echo_own_calls;
mod echo_text;
mod echo_turn;
mod echoed_calls;
mod expect_no_tools;
mod expect_parallel;
mod expect_system;
mod expect_tool_choice;
mod expect_tools;
mod expect_tools_include;
mod expect_values;
mod gemini_contents;
mod gemini_documented_shape;
mod gemini_expect_choice;
mod gemini_foreign_fields;
mod gemini_foreign_headers;
mod gemini_functions;
mod gemini_responses;
mod gemini_signatures;
mod gemini_unknown_parameter;
mod history_arguments;
mod json_word;
mod lone_surrogate;
mod message_blocks;
mod message_object;
mod messages_cache_blocks;
mod messages_content;
mod messages_documented_shape;
mod messages_expect_choice;
mod messages_foreign_fields;
mod messages_foreign_headers;
mod messages_list;
mod messages_names_unique;
mod messages_results;
mod messages_thinking_fits;
mod messages_thinking_whole;
mod messages_thread;
mod messages_tool_choice;
mod messages_unknown_parameter;
mod messages_version_header;
mod model_given;
mod ollama_foreign_fields;
mod ollama_foreign_headers;
mod ollama_generate_shape;
mod ollama_shape;
mod one_token_limit;
mod pairing;
mod parallel_needs_tools;
mod previous_response;
mod reasoning_echoed;
mod reasoning_items;
mod responses_answers;
mod responses_call_id;
mod responses_expect_tool_choice;
mod responses_given;
mod responses_json_word;
mod responses_leaks;
mod responses_moved;
mod responses_parts;
mod responses_shape;
mod responses_tool_choice;
mod responses_unknown_parameter;
mod schema_place;
mod stream_options_needs_stream;
mod strict_schema;
mod tool_answer_shape;
mod tool_calls_function_only;
mod tool_calls_shape;
mod tool_choice_needs_tools;
mod tool_choice_offered;
mod tool_description;
mod tool_function;
mod tool_function_type;
mod tool_input_schema;
mod tool_name;
mod tool_names_unique;
mod tool_object;
mod tool_parameters;
mod tool_parameters_present;
mod tools_list;
mod top_logprobs_needs_logprobs;
mod unknown_parameter;

use crate::dialect::Dialects;
pub use apply::check;
pub use row::{Asked, Element, Example, Header, Note, Profile, Rule, Stage, Verdict};
use row::{
    CHAT, COMPLETIONS, Check, GEMINI, MESSAGES_API, OLLAMA, OLLAMA_CHAT, OLLAMA_GENERATE, OPENAI, RESPONSES,
};
pub use script::{Echo, Expected, ID_PREFIX, Issued, Scripted};
pub use set::{RuleSet, UnknownRule};

/// All rules, in the order of their stages and, within a stage, in the order in which they are applied.
pub const RULES: &[&Rule] = &[
    // The original stub's checks 3 to 10, in its order.
    &anthropic_version_header::ROW,
    &anthropic_top_keys::ROW,
    &responses_leaks::ROW,
    &tools_list::ROW,
    &tool_object::ROW,
    &tool_input_schema::ROW,
    &tool_function_type::ROW,
    &tool_function::ROW,
    &tool_name::ROW,
    &tool_description::ROW,
    &tool_parameters_present::ROW,
    &tool_parameters::ROW,
    &tool_names_unique::ROW,
    &messages_list::ROW,
    &message_object::ROW,
    &message_blocks::ROW,
    &tool_answer_shape::ROW,
    &tool_calls_shape::ROW,
    &tool_calls_function_only::ROW,
    &messages_foreign_fields::ROW,
    &gemini_foreign_fields::ROW,
    &completions_leaks::ROW,
    &ollama_foreign_fields::ROW,
    &answer_missing::ROW,
    &answer_without_call::ROW,
    &answer_twice::ROW,
    // Check 11.
    &arguments_double_encoded::ROW,
    &echoed_calls::ROW,
    // Check 14.
    &expect_no_tools::ROW,
    &expect_tools::ROW,
    &expect_tool_choice::ROW,
    &responses_expect_tool_choice::ROW,
    &expect_parallel::ROW,
    &messages_expect_choice::ROW,
    &gemini_expect_choice::ROW,
    &expect_system::ROW,
    &expect_tools_include::ROW,
    &expect_values::ROW,
    // What the API refuses: bytes, keys and values first, then what does not fit together.
    &lone_surrogate::ROW,
    &anthropic_fields::ROW,
    &model_given::ROW,
    &schema_place::ROW,
    &responses_moved::ROW,
    &responses_given::ROW,
    &responses_shape::ROW,
    &responses_unknown_parameter::ROW,
    &responses_call_id::ROW,
    &responses_parts::ROW,
    &previous_response::ROW,
    &responses_answers::ROW,
    &responses_tool_choice::ROW,
    &responses_json_word::ROW,
    &reasoning_items::ROW,
    &documented_shape::ROW,
    &unknown_parameter::ROW,
    &assistant_content::ROW,
    &call_ids_unique::ROW,
    &call_id_length::ROW,
    &answers_follow_calls::ROW,
    &tool_choice_needs_tools::ROW,
    &parallel_needs_tools::ROW,
    &tool_choice_offered::ROW,
    &stream_options_needs_stream::ROW,
    &top_logprobs_needs_logprobs::ROW,
    &one_token_limit::ROW,
    &json_word::ROW,
    &strict_schema::ROW,
    &completions_shape::ROW,
    &completions_unknown_parameter::ROW,
    &ollama_shape::ROW,
    &ollama_generate_shape::ROW,
    &messages_version_header::ROW,
    &messages_thread::ROW,
    &messages_documented_shape::ROW,
    &messages_unknown_parameter::ROW,
    &messages_content::ROW,
    &messages_names_unique::ROW,
    &messages_results::ROW,
    &messages_thinking_whole::ROW,
    &messages_thinking_fits::ROW,
    &messages_tool_choice::ROW,
    &messages_cache_blocks::ROW,
    &gemini_documented_shape::ROW,
    &gemini_unknown_parameter::ROW,
    &gemini_contents::ROW,
    &gemini_functions::ROW,
    &gemini_responses::ROW,
    &gemini_signatures::ROW,
    // Ours.
    &echo_known_id::ROW,
    &echo_own_calls::ROW,
    &echo_order::ROW,
    &echo_turn::ROW,
    &echo_complete::ROW,
    &echo_text::ROW,
    &reasoning_echoed::ROW,
    &history_arguments::ROW,
    &duplicate_keys::ROW,
    &anthropic_headers::ROW,
    &messages_foreign_headers::ROW,
    &gemini_foreign_headers::ROW,
    &ollama_foreign_headers::ROW,
];

const _: () = {
    let mut i = 0;
    while i < RULES.len() {
        let mut j = i + 1;
        while j < RULES.len() {
            assert!(!crate::names::equal(RULES[i].name, RULES[j].name), "two rules have one name");
            j += 1;
        }
        i += 1;
    }
};
