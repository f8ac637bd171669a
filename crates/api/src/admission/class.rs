//! What a request costs, by its route: which places it needs.

use crate::route::{Route, Sight};

/// What a request costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing worth counting, or it must get in whatever happens.
    Free,
    /// A read of the store.
    Read,
    /// A read of the cloud, which takes as long as the cloud does.
    Look,
    /// A write.
    Write,
    /// A connection for a long time, and a look at the store now and then.
    Stream,
}

impl Class {
    pub(crate) const fn of(route: &Route) -> Self {
        match route {
            // To stop something helps a server that has too much to do.
            Route::Discovery
            | Route::OpenApi
            | Route::OperationCancel(_)
            | Route::DeploymentCancel(_)
            | Route::RecipeCancel(_) => Self::Free,
            Route::PlaneList(_)
            | Route::PlaneShow(_)
            | Route::PlaneHead(_)
            | Route::CredentialList { .. }
            | Route::CredentialShow(_)
            | Route::CredentialHead(_)
            | Route::GroupList { .. }
            | Route::GroupShow(_)
            | Route::GroupHead(_)
            | Route::ReferenceList { .. }
            | Route::ReferenceShow { sight: Sight::Stored, .. }
            | Route::ReferenceHead(_)
            | Route::DeploymentList { .. }
            | Route::DeploymentShow(_)
            | Route::DeploymentHead(_)
            | Route::RecipeList { .. }
            | Route::RecipeShow(_)
            | Route::RecipeHead(_)
            | Route::RecipeSecrets(_)
            | Route::StateShow { .. }
            | Route::StateVersions(_)
            | Route::OperationList { .. }
            | Route::OperationStatus(_)
            | Route::OperationResult { .. } => Self::Read,
            Route::ReferenceShow { sight: Sight::Live, .. }
            | Route::ReferenceDrift(_)
            | Route::ResourceList { .. }
            | Route::ResourceShow { .. }
            | Route::ResourceHead { .. }
            | Route::ActionGet(_) => Self::Look,
            Route::PlanePut(_)
            | Route::PlanePatch(_)
            | Route::PlaneDelete(_)
            | Route::CredentialPut(_)
            | Route::CredentialDelete(_)
            | Route::GroupPut(_)
            | Route::GroupPatch(_)
            | Route::GroupDelete(_)
            | Route::GroupDrift(_)
            | Route::ReferencePut(_)
            | Route::ReferencePatch(_)
            | Route::ReferenceDelete { .. }
            | Route::ReferenceRepair(_)
            | Route::ReferenceRename(_)
            | Route::ReferenceUnlearn(_)
            | Route::DeploymentPut(_)
            | Route::DeploymentDelete { .. }
            | Route::DeploymentWhatIf(_)
            | Route::RecipePut(_)
            | Route::RecipeDelete(_)
            | Route::RecipeUnlock(_)
            | Route::StateWrite { .. }
            | Route::StateLock(_)
            | Route::StateUnlock(_)
            | Route::ResourcePut { .. }
            | Route::ResourcePatch { .. }
            | Route::ResourceDelete { .. }
            | Route::ActionPut(_)
            | Route::ActionDelete(_) => Self::Write,
            Route::OperationEvents { .. } => Self::Stream,
        }
    }
}
