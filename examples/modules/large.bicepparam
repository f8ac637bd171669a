// All values of base.bicepparam, but a large environment.
using 'main.bicep'
extends 'base.bicepparam'

param size = 'large'
