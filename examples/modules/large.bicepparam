// All of base.bicepparam, but large.
using 'main.bicep'
extends 'base.bicepparam'

param size = 'large'
