//! The decision which AWS is meant, from what was said and what is known; it touches nothing.

use crate::aws::Aws;
use crate::client::endpoint::Endpoint as Server;
use crate::connection::DirectoryOrigin;
use crate::embedded::data_dir::AwsFileError;
use crate::embedded::server_file::ServerFile;

/// What was said, and what is known.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    /// `--aws`
    pub(crate) aws: Option<&'a Aws>,
    /// `--server`, or what the environment says in its place.
    pub(crate) server: Option<&'a Server>,
    /// The process that answers for the data directory.
    pub(crate) served: Option<&'a ServerFile>,
    /// What the data directory says of its AWS; nothing where there is no directory.
    pub(crate) noted: Result<Option<Aws>, AwsFileError>,
    /// Whether a control plane has run on the directory.
    pub(crate) was_used: bool,
    /// How the data directory was chosen.
    pub(crate) origin: DirectoryOrigin,
    /// What `AWS_ENDPOINT_URL` names, else AWS itself if the environment names credentials.
    pub(crate) environment: Option<Aws>,
}

/// Which AWS is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// AWS itself, with the credentials of this machine.
    Real,
    /// Something that speaks like AWS.
    Endpoint(String),
    /// The built-in simulator of the data directory.
    Simulator,
}

/// Why that cannot be told.
#[derive(Debug)]
pub(crate) enum Undecided {
    /// The directory was used, and does not say with which AWS: to take AWS for it could be wrong.
    Forgotten,
    /// What it says cannot be read.
    Unreadable(AwsFileError),
}

/// The order is: the flag, the server, a data directory that was named, the environment, a data directory
/// that was only found on the disk, AWS. The AWS of another machine's server is not known here.
pub(crate) fn decide(asked: Asked<'_>) -> Result<Wanted, Undecided> {
    if let Some(aws) = asked.aws {
        return Ok(aws.into());
    }
    if let Some(server) = asked.server {
        let is_meant = |file: &&ServerFile| file.endpoint().is_some_and(|it| server.means(&it));
        let aws = asked.served.filter(is_meant).and_then(|file| file.aws.parse::<Aws>().ok());
        let aws = aws.or(asked.environment);
        return Ok(aws.as_ref().map_or(Wanted::Real, Into::into));
    }
    if asked.origin == DirectoryOrigin::Implied
        && let Some(aws) = &asked.environment
    {
        return Ok(aws.into());
    }
    match asked.noted {
        Ok(Some(aws)) => Ok((&aws).into()),
        Ok(None) if asked.was_used => Err(Undecided::Forgotten),
        Ok(None) => Ok(asked.environment.as_ref().map_or(Wanted::Real, Into::into)),
        Err(error) => Err(Undecided::Unreadable(error)),
    }
}

impl From<&Aws> for Wanted {
    fn from(aws: &Aws) -> Self {
        match aws {
            Aws::Simulator => Self::Simulator,
            Aws::Real => Self::Real,
            Aws::Custom(url) => Self::Endpoint(url.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::server_file::Role;

    const URL: &str = "http://127.0.0.1:4566";

    fn nothing() -> Asked<'static> {
        let noted = Ok(None);
        let (aws, server, served, environment) = (None, None, None, None);
        let origin = DirectoryOrigin::Implied;
        Asked { aws, server, served, noted, was_used: false, origin, environment }
    }

    fn endpoint() -> Wanted {
        Wanted::Endpoint(URL.to_owned())
    }

    #[test]
    fn without_a_word_and_without_a_directory_it_is_aws() {
        assert_eq!(decide(nothing()).unwrap(), Wanted::Real);
    }

    #[test]
    fn the_environment_comes_after_a_named_directory_and_before_an_implied_one() {
        for (aws, wanted) in [(Aws::Custom(URL.to_owned()), endpoint()), (Aws::Real, Wanted::Real)]
        {
            let asked = || Asked { environment: Some(aws.clone()), ..nothing() };
            assert_eq!(decide(asked()).unwrap(), wanted);
            let flag = Asked { aws: Some(&Aws::Simulator), ..asked() };
            assert_eq!(decide(flag).unwrap(), Wanted::Simulator);
            let noted = || Ok(Some(Aws::Simulator));
            let implied = Asked { noted: noted(), was_used: true, ..asked() };
            assert_eq!(decide(implied).unwrap(), wanted);
            let named = Asked { noted: noted(), origin: DirectoryOrigin::Named, ..asked() };
            assert_eq!(decide(named).unwrap(), Wanted::Simulator);
        }
    }

    #[test]
    fn what_is_said_comes_before_all_that_is_known() {
        let server = Server::parse("http://10.0.0.1:7700").unwrap();
        for (text, wanted) in
            [("simulator", Wanted::Simulator), ("real", Wanted::Real), (URL, endpoint())]
        {
            let aws: Aws = text.parse().unwrap();
            for noted in [Ok(None), Ok(Some(Aws::Real)), Ok(Some(Aws::Simulator))] {
                let (aws, server) = (Some(&aws), Some(&server));
                let asked = Asked { aws, server, noted, was_used: true, ..nothing() };
                assert_eq!(decide(asked).unwrap(), wanted);
            }
            let noted = Err(AwsFileError::Damaged);
            let asked = Asked { aws: Some(&aws), noted, ..nothing() };
            assert_eq!(decide(asked).unwrap(), wanted);
        }
    }

    #[test]
    fn a_directory_says_which_aws_it_was_used_with() {
        for (noted, wanted) in [
            (Aws::Simulator, Wanted::Simulator),
            (Aws::Real, Wanted::Real),
            (Aws::Custom(URL.to_owned()), endpoint()),
        ] {
            let asked = Asked { noted: Ok(Some(noted)), was_used: true, ..nothing() };
            assert_eq!(decide(asked).unwrap(), wanted);
        }
    }

    #[test]
    fn a_used_directory_that_does_not_say_is_not_taken_for_aws() {
        let forgotten = Asked { was_used: true, ..nothing() };
        assert!(matches!(decide(forgotten), Err(Undecided::Forgotten)));
        let damaged = Asked { noted: Err(AwsFileError::Damaged), ..nothing() };
        assert!(matches!(decide(damaged), Err(Undecided::Unreadable(AwsFileError::Damaged))));
    }

    #[test]
    fn a_server_is_aws_unless_it_is_the_directorys_own() {
        let file = |aws: &str| ServerFile {
            url: "http://127.0.0.1:7700".to_owned(),
            pid: 1,
            instance: "i".to_owned(),
            base_path: "/b".to_owned(),
            aws: aws.to_owned(),
            role: Role::Serve,
            simulator: None,
        };
        let wanted = |server: &str, served: Option<&ServerFile>| {
            let server = Server::parse(server).unwrap();
            let noted = Ok(Some(Aws::Simulator));
            decide(Asked { server: Some(&server), served, noted, ..nothing() }).unwrap()
        };
        let own = "http://localhost:7700";
        assert_eq!(wanted(own, None), Wanted::Real);
        assert_eq!(wanted(own, Some(&file("simulator"))), Wanted::Simulator);
        assert_eq!(wanted(own, Some(&file(URL))), endpoint());
        assert_eq!(wanted(own, Some(&file("real"))), Wanted::Real);
        assert_eq!(wanted("http://127.0.0.1:7701", Some(&file("simulator"))), Wanted::Real);
        assert_eq!(wanted("http://10.0.0.1:7700", Some(&file("simulator"))), Wanted::Real);
    }
}
