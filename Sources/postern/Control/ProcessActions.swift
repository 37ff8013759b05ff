import GatewayControl
import GatewayCore
import GatewayKit

// The actions of `postern ctl` on the process.

extension ControlAction {
  static let health = ControlAction("health", "check that the process lives") { _ in .get("/health") }

  static let ready = ControlAction(
    "ready", "check that the gateway accepts new sockets; exit status 1 while it drains"
  ) { _ in .get("/ready") }

  static let metrics = ControlAction("metrics", "print the metrics, in Prometheus' text format") { _ in .get("/metrics")
  }

  static let settings = ControlAction("settings", "print the gateway's settings as JSON, without secrets") { _ in
    .get("/settings")
  }

  static let nodes = ControlAction(
    "nodes", "list the processes that share the store by --node-name", telling: .table
  ) { _ in .get("/nodes") }

  static let reload = ControlAction(
    "reload",
    "read keys, secrets, passwords and the certificate again, as SIGHUP does; exit status 1 if old ones stay in use",
    telling: .reload
  ) { _ in try .post("/reload", NoMembers()) }

  static let drain = ControlAction(
    "drain", "accept no new connections, close all others with 1012 within a window, and end the process",
    example: "drain --window 30s",
    options: [
      Option(
        "window", "DURATION", "the window over which the closes are spread (default: the gateway's --drain-window)",
        \.windowS, Reading<Duration>.duration.map { window, _ in window.inSeconds }),
      Option(
        "all-nodes", "drain every process that shares the store, one after the other, the one that is asked last",
        \.isOfAllNodes),
    ], from: DrainOrder(), telling: .words("draining")
  ) { order, _ in try .post("/drain", order) }
}

extension DrainOrder {
  fileprivate var isOfAllNodes: Bool {
    get { nodes != nil }
    set { nodes = newValue ? DrainOrder.everyNode : nil }
  }
}
