//! A server is warm: the request that nobody sent gets as far as one that is answered.

use crate::stand::Served;
use rehearsal_standin::warm_up;
use rehearsal_wire::rule::Profile;

const SCRIPT: &str = r#"{"version": 1, "classes": {"a": {"script": [{"text": "ok"}], "phrasings": [{"id": "p", "prompt": "say \"ok\""}]}}}"#;

#[test]
fn it_is_answered_under_every_profile_and_with_a_key_demanded() {
    for profile in Profile::ALL {
        let served = || Served::file("t.json", SCRIPT).under(profile);
        assert_eq!(warm_up(&served().setting()), Some(200), "{}", profile.name());
        assert_eq!(warm_up(&served().require_key().setting()), Some(200), "{}", profile.name());
    }
    assert_eq!(warm_up(&Served::file("t.json", SCRIPT).mode("black-hole").setting()), None);
}
