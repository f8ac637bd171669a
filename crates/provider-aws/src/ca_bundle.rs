//! Certificate authorities that are trusted in addition to the system's, as `AWS_CA_BUNDLE` names them.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

/// Certificates in PEM, each of which can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaBundle(Arc<[u8]>);

/// Why a text is not a bundle of certificates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaBundleError {
    /// There is no certificate in it.
    #[error("it contains no certificate in PEM format")]
    Empty,
    /// A certificate cannot be used.
    #[error("it contains a certificate that cannot be used: {0}")]
    Invalid(String),
}

impl CaBundle {
    /// Checks every certificate: the TLS library panics on one that it cannot read.
    pub fn parse(pem: &[u8]) -> Result<Self, CaBundleError> {
        let invalid = |error: &dyn std::fmt::Display| CaBundleError::Invalid(error.to_string());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| invalid(&error))?;
            roots.add(certificate).map_err(|error| invalid(&error))?;
        }
        if roots.is_empty() { Err(CaBundleError::Empty) } else { Ok(Self(pem.into())) }
    }

    pub(crate) fn pem(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_certificates_and_a_broken_certificate_are_refused() {
        assert_eq!(CaBundle::parse(b""), Err(CaBundleError::Empty));
        assert_eq!(CaBundle::parse(b"corporate CA"), Err(CaBundleError::Empty));
        let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(CaBundle::parse(broken), Err(CaBundleError::Invalid(_))));
    }
}
