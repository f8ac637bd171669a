# A minimal recipe: it needs no cloud, and no provider is downloaded.

variable "context" {
  description = "The resource, the environment and the AWS scope of the run; Hangar sets it."
  type        = any
}

variable "greeting" {
  description = "The first word of the greeting."
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
    # Ids of resources outside the Terraform state. Hangar adds the resources of the state.
    resources = []
    values = {
      greeting = terraform_data.greeting.output
    }
    # Stored encrypted, and never printed.
    secrets = {
      password = terraform_data.password.output
    }
  }
}
