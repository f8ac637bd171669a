# Needs no provider and no cloud: terraform_data is built in.
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
