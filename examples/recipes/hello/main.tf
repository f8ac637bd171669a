# The smallest recipe: it needs no cloud and no provider to download.

variable "context" {
  description = "Who asks for the recipe, and where: Hangar fills it in."
  type        = any
}

variable "greeting" {
  description = "What to say."
  type        = string
  default     = "hello"
}

variable "password" {
  description = "What only its readers should know."
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
  description = "What Hangar reads when the recipe has run."
  sensitive   = true

  value = {
    # Ids of what Terraform does not know of. What it made itself, Hangar adds.
    resources = []
    values = {
      greeting = terraform_data.greeting.output
    }
    # Kept sealed, and never printed.
    secrets = {
      password = terraform_data.password.output
    }
  }
}
