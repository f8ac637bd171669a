"""Loads the JavaScript of the package into the process of Node that cdk8s runs in."""

import cdk8s._jsii
import jsii

__jsii_assembly__ = jsii.JSIIAssembly.load('hangar-cdk8s', '0.1.0', __name__[0:-6], 'hangar-cdk8s@0.1.0.jsii.tgz')
