import GatewayControl
import GatewayCore
import GatewayKit

// The actions of `postern ctl` on the process.

extension ControlAction {
  static let health = ControlAction("health", "whether the process lives") { _, _ in .get("/health") }

  static let ready = ControlAction(
    "ready", "whether the gateway takes new sockets; exit status 1 while it drains"
  ) { _, _ in .get("/ready") }

  static let metrics = ControlAction("metrics", "the figures, in Prometheus' text format") { _, _ in .get("/metrics") }

  static let settings = ControlAction("settings", "what the gateway is set to, as JSON, without any secret") { _, _ in
    .get("/settings")
  }

  static let drain = ControlAction(
    "drain", "let nobody new in, close everybody with 1012 within a window, and end the process",
    example: "drain --window 30s",
    flags: [
      Flag("window", "DURATION", "the window that the closes are spread over (default: the gateway's --drain-window)")
    ], telling: .words("draining")
  ) { arguments, _ in
    try .post("/drain", DrainOrder(windowS: try arguments.duration("window")?.inSeconds))
  }
}
