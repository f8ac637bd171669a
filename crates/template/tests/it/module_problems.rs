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
                "main.bicep: error[BCP035]: the module `m` is not given `x` @ params (`m.bicep` takes it and has no default: write it in `params`)",
                "main.bicep: error[BCP036]: `y` of the module `m` should be `string` and is `int` @ 1",
                "main.bicep: error[BCP037]: `m.bicep` has no parameter `z` @ z (it takes `x`, `y`, `longer`)",
            ],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "param x string\n",
            &[
                "main.bicep: error[BCP035]: the module `m` is not given `x` @ m (`m.bicep` takes it and has no default: write it in `params`)",
            ],
        ),
        (
            "module m 'm.bicep' = { parms: {}, name: 'a' }\noutput o string = m.outputs.outt\noutput p string = m.nam\n",
            "output out string = 'a'\n",
            &[
                "main.bicep: error[BCP089]: a module has no member `parms` @ parms (did you mean `params`?)",
                "main.bicep: error[BCP083]: `m.bicep` has no output `outt` @ outt (did you mean `out`?)",
                "main.bicep: error[BCP083]: a module has no property `nam` @ nam (did you mean `name`?)",
            ],
        ),
        (
            "module m 'm.bicep' = [for i in range(0, 2): {}]\noutput o string = m.outputs.out\n",
            "output out string = 'a'\n",
            &[
                "main.bicep: error[BCP144]: these are many modules, made by a loop @ m (say which one with an index, as in `networks[0]`)",
            ],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "module n 'main.bicep' = {}\n",
            &[
                "m.bicep: error[BCP095]: files name each other: `m.bicep` → `main.bicep` → `m.bicep` @ 'main.bicep' (put what both need into a third file)",
                "main.bicep: error[BCP095]: files name each other: `main.bicep` → `m.bicep` → `main.bicep` @ 'm.bicep' (put what both need into a third file)",
            ],
        ),
        (
            "module m 'br:mcr.microsoft.com/bicep/x:1' = {}\nmodule n '../x.bicep' = {}\nmodule o 'm.bicep/' = {}\n",
            "",
            &[
                "main.bicep: error[TMPL0040]: `br:mcr.microsoft.com/bicep/x:1` is in a registry, and modules and imports are files of the project @ 'br:mcr.microsoft.com/bicep/x:1' (copy the module's files into the project and name them by their path)",
                "main.bicep: error[BCP091]: `../x.bicep` is outside of the project @ '../x.bicep' (the project is the current directory, or else the folder of the template)",
                "main.bicep: error[BCP275]: the path is one of a folder, and a file is needed @ 'm.bicep/'",
            ],
        ),
        (
            "module m 'm.bicep' = { scope: resourceGroup('other') }\n",
            "",
            &[
                "main.bicep: error[TMPL0042]: Hangar deploys a module to the group of its template, and to no other scope @ resourceGroup('other') (remove `scope`, or write `resourceGroup()`; deploy the file by itself with `-g`)",
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
                "main.bicep: error[BCP177]: this must be known before anything is deployed, and `a.id` is known only after @ a.id == 'x' (use parameters, variables, and what the template itself states)",
                "main.bicep: error[BCP120]: this must be known before anything is deployed, and `a.id` is known only after @ a.id (use parameters, variables, and what the template itself states)",
            ],
        ),
        (
            "module m 'm.bicep' = { params: { a: m.outputs.o } }\n",
            "param a string\noutput o string = a\n",
            &["main.bicep: error[BCP079]: the declaration reads itself @ m"],
        ),
        (
            "extension aws\nresource a 'AWS.S3/Bucket@default' = { alias: 'a' }\nmodule m 'm.bicep' = { params: { name: a.id } }\n",
            "extension aws\nparam name string\nresource b 'AWS.S3/Bucket@default' = { alias: name }\n",
            &[
                "m.bicep: error[BCP120]: this must be known before anything is deployed, and `a.id` is known only after @ name (use parameters, variables, and what the template itself states)",
            ],
        ),
        (
            "module m 'm.bicep' = { params: { n: 11 } }\n",
            "@maxValue(10)\nparam n int\n",
            &["main.bicep: error[BCP327]: `n` of the module `m` is more than 10 @ 11"],
        ),
        (
            "module m 'm.bicep' = {}\n",
            "output o string = missing\n",
            &["m.bicep: error[BCP057]: the name `missing` is not declared @ missing"],
        ),
        (
            "module m 'm.bicep' = if (true) {}\nvar x = m.outputs\noutput a string = x.o\n",
            "output o string = '${p}'\nparam p string = string(1 / 0)\n",
            &["m.bicep: error[TMPL0005]: a number is divided by zero @ 1 / 0"],
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
            "m4.bicep: error[TMPL0041]: files stand in each other deeper than 16 levels @ 'm5.bicep'"
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
