import GatewayControl
import GatewayCore
import GatewayKit

// The actions of `postern ctl` on the process.

extension ControlAction {
  static let health = ControlAction("health", "whether the process lives") { _ in .get("/health") }

  static let ready = ControlAction(
    "ready", "whether the gateway takes new sockets; exit status 1 while it drains"
  ) { _ in .get("/ready") }

  static let metrics = ControlAction("metrics", "the figures, in Prometheus' text format") { _ in .get("/metrics") }

  static let settings = ControlAction("settings", "what the gateway is set to, as JSON, without any secret") { _ in
    .get("/settings")
  }

  static let nodes = ControlAction(
    "nodes", "the processes that share the store, with --node-name", telling: .table
  ) { _ in .get("/nodes") }

  static let reload = ControlAction(
    "reload", "read keys, secrets, passwords and the certificate anew, as SIGHUP does; exit status 1 if old ones stay",
    telling: .reload
  ) { _ in try .post("/reload", NoMembers()) }

  static let drain = ControlAction(
    "drain", "let nobody new in, close everybody with 1012 within a window, and end the process",
    example: "drain --window 30s",
    options: [
      Option(
        "window", "DURATION", "the window that the closes are spread over (default: the gateway's --drain-window)",
        \.windowS, Reading<Duration>.duration.map { window, _ in window.inSeconds })
    ], from: DrainOrder(), telling: .words("draining")
  ) { order, _ in try .post("/drain", order) }
}
