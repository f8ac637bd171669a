# A network on AWS for a service: a VPC with a subnet, a bucket, a queue, and a
# role with access to both.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 3.39.0"
    }
  }
}

variable "context" {
  description = "Caller and environment of the recipe. Hangar sets this variable."
  type        = any
}

variable "cidr" {
  description = "IPv4 range of the VPC. The subnet uses the first sixteenth of it."
  type        = string
  default     = "10.0.0.0/16"
}

locals {
  name = var.context.resource.name
  tags = { Name = local.name }
}

resource "aws_vpc" "main" {
  cidr_block = var.cidr
  tags       = local.tags
}

resource "aws_subnet" "main" {
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(var.cidr, 4, 0)
  tags       = local.tags
}

resource "aws_s3_bucket" "files" {
  bucket = "${local.name}-files"
  tags   = local.tags
}

resource "aws_sqs_queue" "jobs" {
  name = "${local.name}-jobs"
  tags = local.tags
}

resource "aws_iam_role" "service" {
  name = "${local.name}-service"
  tags = local.tags

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ecs-tasks.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy" "service" {
  name = "files-and-jobs"
  role = aws_iam_role.service.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:PutObject"]
        Resource = "${aws_s3_bucket.files.arn}/*"
      },
      {
        Effect   = "Allow"
        Action   = ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage"]
        Resource = aws_sqs_queue.jobs.arn
      },
    ]
  })
}

output "result" {
  description = "The result that Hangar reads after the run."

  value = {
    # Ids of resources outside Terraform's state. Hangar adds the resources that Terraform created.
    resources = []
    values = {
      vpc    = aws_vpc.main.id
      subnet = aws_subnet.main.id
      bucket = aws_s3_bucket.files.id
      queue  = aws_sqs_queue.jobs.id
      role   = aws_iam_role.service.arn
    }
    secrets = {}
  }
}
