using none

param name = 'shop'
param size = 'small'
