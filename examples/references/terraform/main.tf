# This needs no provider and no cloud: terraform_data is part of Terraform.
resource "terraform_data" "settings" {
  input = {
    name  = "shop-files"
    port  = 5432
    zones = ["a", "b"]
  }
}

output "endpoint" {
  value = "${terraform_data.settings.output.name}.internal"
}
