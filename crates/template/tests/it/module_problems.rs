//! What is wrong with modules, each in its own file; and how many there may be.

use crate::language::assert_told;
use crate::project::Project;

#[test]
fn what_is_wrong_with_a_module_is_told_in_its_own_file() {
    let cases: [(&str, &str, &[&str]); 14] = [
        (
            "module m 'm.bicep' = { params: { y: 1, z: 'a' } }\n",
            "param x string\nparam y string = 'a'\nparam longer string?\n",
            &[
                "main.bicep: error[BCP035]: the module `m` lacks the required parameter `x` @ params (add a value to `params`: `m.bicep` has no default for it)",
                "main.bicep: error[BCP036]: the parameter `y` of the module `m`: expected `string`, found `int` @ 1",
                "main.bicep: error[BCP037]: the parameter `z` does not exist in `m.bicep` @ z (available parameters: `x`, `y`, `longer`)",
            ],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "param x string\n",
            &[
                "main.bicep: error[BCP035]: the module `m` lacks the required parameter `x` @ m (add a value to `params`: `m.bicep` has no default for it)",
            ],
        ),
        (
            "module m 'm.bicep' = { parms: {}, name: 'a' }\noutput o string = m.outputs.outt\noutput p string = m.nam\n",
            "output out string = 'a'\n",
            &[
                "main.bicep: error[BCP089]: the property `parms` is not allowed on a module @ parms (did you mean `params`?)",
                "main.bicep: error[BCP083]: the output `outt` does not exist in `m.bicep` @ outt (did you mean `out`?)",
                "main.bicep: error[BCP083]: the property `nam` does not exist on a module @ nam (did you mean `name`?)",
            ],
        ),
        (
            "module m 'm.bicep' = [for i in range(0, 2): {}]\noutput o string = m.outputs.out\n",
            "output out string = 'a'\n",
            &[
                "main.bicep: error[BCP144]: this is a collection of modules from a loop @ m (select one with an index, as in `networks[0]`)",
            ],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "module n 'main.bicep' = {}\n",
            &[
                "m.bicep: error[BCP095]: the files form a cycle: `m.bicep` → `main.bicep` → `m.bicep` @ 'main.bicep' (move the shared declarations to a third file)",
                "main.bicep: error[BCP095]: the files form a cycle: `main.bicep` → `m.bicep` → `main.bicep` @ 'm.bicep' (move the shared declarations to a third file)",
            ],
        ),
        (
            "module m 'br:mcr.microsoft.com/bicep/x:1' = {}\nmodule n '../x.bicep' = {}\nmodule o 'm.bicep/' = {}\n",
            "",
            &[
                "main.bicep: error[TMPL0040]: `br:mcr.microsoft.com/bicep/x:1` is in a registry, but modules and imports must be files of the project @ 'br:mcr.microsoft.com/bicep/x:1' (copy the module's files into the project and use their path)",
                "main.bicep: error[BCP091]: `../x.bicep` is outside the project @ '../x.bicep' (the project is the current directory, or the template's folder if the template is elsewhere)",
                "main.bicep: error[BCP275]: expected the path of a file, found a folder @ 'm.bicep/'",
            ],
        ),
        (
            "module m 'm.bicep' = { scope: resourceGroup('other') }\n",
            "",
            &[
                "main.bicep: error[TMPL0042]: Hangar can deploy a module only to the group of its template @ resourceGroup('other') (remove `scope`, or write `resourceGroup()`; to use another group, deploy the file separately with `-g`)",
            ],
        ),
        (
            "module m 'm.bicep' = { scope: resourceGroup() }\n",
            "targetScope = 'subscription'\n",
            &[
                "m.bicep: error[TMPL0010]: Hangar deploys to a group: only `targetScope = 'resourceGroup'` is supported @ 'subscription'",
            ],
        ),
        (
            "extension aws\nresource a 'AWS.S3/Bucket@default' = { alias: 'a' }\nmodule m 'm.bicep' = if (a.id == 'x') {}\nmodule n 'm.bicep' = { name: a.id }\n",
            "",
            &[
                "main.bicep: error[BCP177]: this value must be known at the start of the deployment, but `a.id` is not known until `a` is deployed @ a.id == 'x' (use parameters, variables or values that are written in the template)",
                "main.bicep: error[BCP120]: this value must be known at the start of the deployment, but `a.id` is not known until `a` is deployed @ a.id (use parameters, variables or values that are written in the template)",
            ],
        ),
        (
            "module m 'm.bicep' = { params: { a: m.outputs.o } }\n",
            "param a string\noutput o string = a\n",
            &["main.bicep: error[BCP079]: the declaration references itself @ m"],
        ),
        (
            "extension aws\nresource a 'AWS.S3/Bucket@default' = { alias: 'a' }\nmodule m 'm.bicep' = { params: { name: a.id } }\n",
            "extension aws\nparam name string\nresource b 'AWS.S3/Bucket@default' = { alias: name }\n",
            &[
                "m.bicep: error[BCP120]: this value must be known at the start of the deployment, but `a.id` is not known until `a` is deployed @ name (use parameters, variables or values that are written in the template)",
            ],
        ),
        (
            "module m 'm.bicep' = { params: { n: 11 } }\n",
            "@maxValue(10)\nparam n int\n",
            &[
                "main.bicep: error[BCP327]: the parameter `n` of the module `m` is greater than 10 @ 11",
            ],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "output o string = missing\n",
            &["m.bicep: error[BCP057]: the name `missing` is not declared @ missing"],
        ),
        (
            "module m 'm.bicep' = if (true) {}\nvar x = m.outputs\noutput a string = x.o\n",
            "output o string = '${p}'\nparam p string = string(1 / 0)\n",
            &["m.bicep: error[TMPL0005]: division by zero @ 1 / 0"],
        ),
    ];
    for (main, module, expected) in cases {
        let project = Project::of(&[("main.bicep", main), ("m.bicep", module)]);
        let problems = project.problems();
        assert_told(&problems, expected, &format!("{main}{module}"));
    }
}

#[test]
fn modules_are_bounded_in_depth_and_number() {
    let names: Vec<String> = (0..20).map(|at| format!("m{at}.bicep")).collect();
    let texts: Vec<String> =
        (0..20).map(|at| format!("module m 'm{}.bicep' = {{}}\n", at + 1)).collect();
    let mut files: Vec<(&str, &str)> = vec![("main.bicep", "module m 'm0.bicep' = {}\n")];
    for (name, text) in names.iter().zip(&texts) {
        files.push((name, text));
    }
    files.push(("m20.bicep", ""));
    let problems = Project::of(&files).problems();
    assert!(
        problems.iter().any(|it| it.starts_with(
            "m4.bicep: error[TMPL0041]: files are nested more than 16 levels deep @ 'm5.bicep'"
        )),
        "{problems:#?}"
    );
    // Two of two of two: many more than anybody meant, refused and not counted out.
    let texts: Vec<String> = (0..14)
        .map(|at| format!("module m 'm{0}.bicep' = [for i in range(0, 4): {{}}]\n", at + 1))
        .collect();
    let mut files: Vec<(&str, &str)> = vec![("main.bicep", "module m 'm0.bicep' = {}\n")];
    for (name, text) in names.iter().zip(&texts) {
        files.push((name, text));
    }
    files.push(("m14.bicep", ""));
    let problems = Project::of(&files).problems();
    assert!(problems[0].contains("TMPL0041"), "{problems:#?}");
}
