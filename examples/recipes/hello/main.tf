# The smallest recipe: it needs no cloud and downloads no provider.

variable "context" {
  description = "Caller and environment of the recipe. Hangar sets this variable."
  type        = any
}

variable "greeting" {
  description = "Text of the greeting."
  type        = string
  default     = "hello"
}

variable "password" {
  description = "A secret that the recipe returns."
  type        = string
  default     = "not a real one"
  sensitive   = true
}

resource "terraform_data" "greeting" {
  input = "${var.greeting}, ${var.context.resource.name}"
}

resource "terraform_data" "password" {
  input = var.password
}

output "result" {
  description = "The result that Hangar reads after the run."
  sensitive   = true

  value = {
    # Ids of resources outside Terraform's state. Hangar adds the resources that Terraform created.
    resources = []
    values = {
      greeting = terraform_data.greeting.output
    }
    # Hangar stores secrets encrypted and never prints them.
    secrets = {
      password = terraform_data.password.output
    }
  }
}
