resource "kuma_mesh_timeout" "a_web" {
  name = "web"
  mesh = "a"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.a_web
  id = "a/web"
}

resource "kuma_mesh_timeout" "b_web" {
  name = "web"
  mesh = "b"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.b_web
  id = "b/web"
}

resource "kuma_mesh_timeout" "a_web_2" {
  name = "a.web"
  mesh = "a"

  spec {
    rules {
      default {
        idle_timeout = "1s"
      }
    }
  }
}

import {
  to = kuma_mesh_timeout.a_web_2
  id = "a/a.web"
}
