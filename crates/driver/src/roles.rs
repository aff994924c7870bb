//! Which model does which part of the work.

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Changes files.
    Worker,
    /// Prepares them for others.
    Setup,
    /// Reviews what others did.
    Verify,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Worker, Self::Setup, Self::Verify];

    /// Its name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Setup => "setup",
            Self::Verify => "verify",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// The models of an endpoint by role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Models {
    usual: String,
    by_role: Vec<(Role, String)>,
}

impl Models {
    /// One model for all roles but those that have their own.
    ///
    /// # Errors
    /// A sentence where a role has two.
    pub fn new(usual: &str, by_role: &[(Role, String)]) -> Result<Self, String> {
        let twice = by_role
            .iter()
            .enumerate()
            .find(|(at, (role, _))| by_role[..*at].iter().any(|(known, _)| known == role));
        match twice {
            Some((_, (role, _))) => Err(format!("the role {} has two models", role.name())),
            None => Ok(Self { usual: usual.to_owned(), by_role: by_role.to_vec() }),
        }
    }

    /// The model of a role.
    #[must_use]
    pub fn of(&self, role: Role) -> &str {
        self.by_role.iter().find(|(known, _)| *known == role).map_or(&self.usual, |(_, model)| model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_without_a_model_of_its_own_has_the_usual_one() {
        let models = Models::new("m", &[(Role::Verify, "v".to_owned())]).unwrap();
        assert_eq!(Role::ALL.map(|role| models.of(role)), ["m", "m", "v"]);
        let twice = [(Role::Verify, "v".to_owned()), (Role::Verify, "w".to_owned())];
        assert_eq!(Models::new("m", &twice), Err("the role verify has two models".to_owned()));
        assert_eq!(Role::of("Verify"), None);
    }
}
