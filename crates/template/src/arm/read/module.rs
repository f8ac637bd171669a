//! Deployments in a template: modules, whose template is in them.

use super::identity::Which;
use super::{MAX_TEMPLATES, Reader, Shared, name_of, start_of};
use crate::arm::json::{Json, Kind, Member};
use crate::codes;
use crate::ir::{
    Expression, ExpressionKind, Method, ModuleDeclaration, ModuleParameter, Name, Remarks, Unit,
};

impl<'j> Reader<'j, '_, '_> {
    /// Reads the templates of all modules; gives the unit of each.
    pub(super) fn nested_templates(&mut self) -> Vec<usize> {
        let mut units = Vec::new();
        for entry in 0..self.entries.len() {
            if !matches!(self.entries[entry].what, Which::Module(_)) {
                continue;
            }
            let json = self.entries[entry].json;
            let properties = json.get("properties");
            let template = properties.and_then(|it| it.get("template"));
            if let Some(template) = template {
                self.nested_template(template);
            } else {
                let link = properties.and_then(|it| it.get("templateLink"));
                let span = link.map_or(start_of(json.span), |it| it.span);
                let message = "the deployment must contain its `template`: linked templates are not supported";
                let hint = "compile the modules into one template, as `hangar build` does";
                self.error(codes::NOT_SUPPORTED, span, message).hints.push(hint.to_owned());
                let file = self.shared.file.clone();
                self.shared.units.push(Unit { file, is_faulty: true, ..Unit::default() });
            }
            units.push(self.shared.units.len() - 1);
        }
        units
    }

    fn nested_template(&mut self, template: &'j Json) {
        if self.shared.open >= MAX_TEMPLATES {
            let message = format!("templates are nested more than {MAX_TEMPLATES} levels deep");
            self.error(codes::TOO_DEEP, start_of(template.span), message);
            let file = self.shared.file.clone();
            self.shared.units.push(Unit { file, is_faulty: true, ..Unit::default() });
            return;
        }
        self.shared.open += 1;
        let shared: &mut Shared<'_> = self.shared;
        Reader::template(shared, template);
        self.shared.open -= 1;
    }

    pub(super) fn module(&mut self, entry: usize, unit: Option<usize>) {
        let json = self.entries[entry].json;
        let name = Name {
            text: self.entries[entry].symbol.as_str().into(),
            span: self.entries[entry].span,
        };
        let (repeat, batch) = self.repeat(json.get("copy"));
        let condition = json.get("condition").map(|it| self.value(it));
        let title = json.get("name").map(|it| self.value(it));
        let given = json.get("properties").and_then(|it| it.get("parameters"));
        let params = given.map(|it| self.module_parameters(it)).unwrap_or_default();
        let scope =
            ["scope", "resourceGroup", "subscriptionId"].into_iter().find_map(|it| json.get(it));
        let scope = scope.map(|it| self.value(it));
        let depends_on = self.depends_on(json.get("dependsOn"));
        self.end_repeat();
        let description = json.get("metadata").and_then(|it| it.get("description"));
        let description = description.and_then(Json::as_text).map(Into::into);
        let module = ModuleDeclaration {
            params_span: given.map_or(name.span, |it| start_of(it.span)),
            path: Name { text: self.shared.file.clone(), span: name.span },
            name,
            unit: unit.unwrap_or_default(),
            repeat,
            condition,
            title,
            params,
            scope,
            depends_on,
            others: Vec::new(),
            batch,
            remarks: Remarks { description, ..Remarks::default() },
        };
        self.check_given(&module);
        self.unit.modules.push(module);
    }

    fn module_parameters(&mut self, given: &'j Json) -> Vec<ModuleParameter> {
        if !matches!(given.kind, Kind::Object(_)) {
            let message = "the `parameters` of a deployment must be an object with `{\"value\": …}` for each name";
            self.error(codes::BAD_TEMPLATE, given.span, message);
        }
        let mut params = Vec::new();
        for member in given.members() {
            let value = self.module_parameter(member);
            params.push(ModuleParameter { name: name_of(member), value });
        }
        params
    }

    fn module_parameter(&mut self, member: &'j Member) -> Expression {
        if let Some(value) = member.value.get("value") {
            return self.value(value);
        }
        if let Some(copies) = member.value.get("copy") {
            let loops = self.copies(copies);
            let value = loops.into_iter().find(|(name, _)| name.as_text() == Some("value"));
            if let Some((_, value)) = value {
                return value;
            }
        }
        if let Some(reference) = member.value.get("reference") {
            return self.vault_secret(reference);
        }
        if let Kind::Text { .. } = member.value.kind {
            // An expression that gives `{"value": …}`.
            let whole = self.value(&member.value);
            return Self::member(whole, "value", false, member.value.span);
        }
        let message = "a parameter of a deployment must be written as `{\"value\": …}`";
        self.error(codes::BAD_TEMPLATE, member.value.span, message);
        Expression::new(ExpressionKind::Faulty, member.value.span)
    }

    /// `{"keyVault": {"id": …}, "secretName": …}` is `vault.getSecret('…')`.
    fn vault_secret(&mut self, reference: &'j Json) -> Expression {
        let vault = reference.get("keyVault").and_then(|it| it.get("id"));
        let vault = vault.map(|it| self.value(it).kind);
        let base = match vault {
            Some(ExpressionKind::Member(member)) if &*member.name.text == "id" => Some(member.base),
            _ => None,
        };
        let arguments =
            ["secretName", "secretVersion"].into_iter().filter_map(|it| reference.get(it));
        let arguments = arguments.map(|it| self.value(it)).collect();
        let name = Name { text: "getSecret".into(), span: reference.span };
        let method = Method { base, name, arguments };
        Expression::new(ExpressionKind::Method(Box::new(method)), reference.span)
    }

    /// Whether a module gets what its template takes.
    fn check_given(&mut self, module: &ModuleDeclaration) {
        let Some(unit) = self.shared.units.get(module.unit).filter(|it| !it.is_faulty) else {
            return;
        };
        let takes: Vec<_> = unit.parameters.iter().map(|it| it.name.text.clone()).collect();
        let table = crate::types::Table::of(self.shared.units);
        let is_needed = |it: &&crate::ir::ParameterDeclaration| {
            it.default.is_none()
                && !table.is_nullable(&it.value_type)
                && module.params.iter().all(|given| given.name.text != it.name.text)
        };
        let missing: Vec<_> =
            unit.parameters.iter().filter(is_needed).map(|it| it.name.text.clone()).collect();
        for name in missing {
            let message = format!("the deployment lacks the required parameter `{name}`");
            self.error(codes::MISSING_MEMBER, module.params_span, message);
        }
        for given in module.params.iter().filter(|it| !takes.contains(&it.name.text)) {
            let message = format!(
                "the parameter `{}` does not exist in the template of the deployment",
                given.name.text
            );
            self.error(codes::UNKNOWN_MEMBER, given.name.span, message);
        }
    }
}
