//! Base URLs, keys and names of keys: what is accepted, what is refused, and that no refusal shows what was given.

use super::*;

fn given(base_url: &str, key: Option<&str>) -> Given {
    let key = key.map(Secret::new);
    Given { base_url: base_url.to_owned(), key, key_name: "OPENAI_API_KEY".to_owned(), ..Given::default() }
}

fn url(base_url: &str) -> String {
    Endpoint::read(&given(base_url, Some("sk-secret-1"))).unwrap().url()
}

fn refusal(base_url: &str, key: Option<&str>) -> ConfigError {
    Endpoint::read(&given(base_url, key)).expect_err(base_url)
}

#[test]
fn q47_slashes_at_the_end_of_a_base_url_are_trimmed() {
    assert_eq!(url("https://h/v1///"), "https://h/v1/chat/completions");
    assert_eq!(url("https://h/"), "https://h/chat/completions");
}

#[test]
fn q48_v1_is_never_added_and_a_full_path_is_accepted_once() {
    assert_eq!(url("https://h"), "https://h/chat/completions");
    assert_eq!(url("https://h/v1/chat/completions/"), "https://h/v1/chat/completions");
    for twice in
        ["https://h/chat/completions/chat/completions", "https://h/v1/responses", "https://h/v1/messages"]
    {
        assert!(matches!(refusal(twice, Some("sk-secret-1")), ConfigError::Path(_)), "{twice}");
    }
}

#[test]
fn q49_the_last_segment_of_a_base_url_is_kept() {
    assert_eq!(url("https://h/api/openai"), "https://h/api/openai/chat/completions");
    assert_eq!(url("https://h/xchat/completions"), "https://h/xchat/completions/chat/completions");
}

#[test]
fn q50_paths_that_are_not_v1_are_taken_as_given() {
    assert_eq!(url("https://h/api/paas/v4"), "https://h/api/paas/v4/chat/completions");
}

#[test]
fn queries_user_info_and_other_schemes_are_refused_without_being_shown() {
    for (text, wanted) in [
        ("https://h/v1?key=sk-secret-1", UrlError::QueryOrFragment),
        ("https://sk-secret-1:x@h/v1", UrlError::UserInfo),
        ("file:///sk-secret-1", UrlError::UnknownScheme),
        ("data:text/plain,sk-secret-1", UrlError::NoScheme),
    ] {
        let error = refusal(text, Some("k"));
        assert_eq!(error, ConfigError::Url(wanted));
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}

#[test]
fn d13_only_an_address_of_this_machine_needs_no_key() {
    for local in [
        "http://127.0.0.1:1/v1",
        "http://127.8.8.8",
        "http://[::1]:1",
        "http://localhost:1",
        "https://LOCALHOST",
    ] {
        for blank in [None, Some(""), Some(" \n")] {
            assert!(Endpoint::read(&given(local, blank)).is_ok(), "{local}");
        }
    }
    for other in [
        "http://localhost.evil.example",
        "http://h/localhost",
        "http://127.0.0.1.example",
        "http://0.0.0.0",
        "http://10.0.0.1",
    ] {
        assert_eq!(refusal(other, None), ConfigError::NoKey, "{other}");
    }
}

#[test]
fn q51_without_a_key_there_is_no_header_for_one() {
    for dialect in Dialect::ALL {
        let given = Given { dialect, ..given("http://127.0.0.1:1", None) };
        let headers = Endpoint::read(&given).unwrap().headers(false);
        assert!(headers.iter().all(|(name, _)| !["authorization", "x-api-key"].contains(name)));
    }
}

#[test]
fn q52_keys_are_trimmed_and_strange_ones_are_refused_without_being_shown() {
    let endpoint = Endpoint::read(&given("https://h", Some(" sk-secret-1\r\n"))).unwrap();
    let bearer = endpoint.headers(false).into_iter().find(|(name, _)| *name == "authorization").unwrap().1;
    assert_eq!(bearer.expose(), "Bearer sk-secret-1");
    assert!(!format!("{endpoint:?}").contains("sk-secret"));
    for bad in ["sk-secret\n1", "sk-secret 1", "sk-secret\u{e9}", "sk-secret\0", "sk-secret\u{7f}"] {
        let error = refusal("https://h", Some(bad));
        assert_eq!(error, ConfigError::BadKey);
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}

#[test]
fn names_of_keys_are_upper_case_and_name_a_key() {
    for good in ["OPENAI_API_KEY", "MY2_KEY"] {
        assert_eq!(check_key_name(good), Ok(()));
    }
    for bad in ["", "openai_api_key", "_KEY", "PATH", "sk-secret-1", "2_KEY", "A_KEY ", "\u{c4}_KEY"] {
        let error = check_key_name(bad).expect_err(bad);
        assert_eq!(error, ConfigError::KeyName);
        assert!(!error.to_string().contains("sk-secret"));
    }
    for (name, word) in [
        ("MY_SECRET_KEY", "SECRET"),
        ("GITHUB_TOKEN_KEY", "TOKEN"),
        ("DB_PASSWORD_KEY", "PASSWORD"),
        ("AWS_ACCESS_KEY", "ACCESS"),
        ("SSH_PRIVATE_KEY", "PRIVATE"),
    ] {
        assert_eq!(check_key_name(name), Err(ConfigError::ForeignSecret(word)));
    }
}

#[test]
fn names_that_nobody_knows_and_plain_http_are_told() {
    let own = Given { key_name: "MY_KEY".to_owned(), ..given("http://h.example", Some("sk-secret-1")) };
    assert_eq!(Endpoint::read(&own).unwrap().notes.len(), 2);
    assert_eq!(Endpoint::read(&given("https://h.example", Some("sk-secret-1"))).unwrap().notes.len(), 0);
}

#[test]
fn headers_of_organisations_are_sent_and_cannot_hold_others() {
    let with = |organization: &str| Given {
        organization: Some(organization.to_owned()),
        ..given("https://h", Some("k"))
    };
    let headers = Endpoint::read(&with(" org-1 ")).unwrap().headers(true);
    assert!(headers.iter().any(|(name, value)| *name == "openai-organization" && value.expose() == "org-1"));
    assert_eq!(
        Endpoint::read(&with("a\r\nx: y")).expect_err("a line break"),
        ConfigError::BadHeader("OpenAI-Organization")
    );
}

#[test]
fn each_dialect_has_its_row_and_its_path() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.row().name, dialect.name());
        let given = Given { dialect, ..given("https://h/v1", Some("k")) };
        assert!(Endpoint::read(&given).unwrap().url().ends_with(dialect.path()));
    }
}
