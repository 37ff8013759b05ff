import GatewayCore
import GatewayKit

// What `postern ctl` asks about the process, or has done to it.

enum HealthAction: ControlAction {
  static let name = "ctl health"
  static let summary = "whether the process lives"
  static let example = "postern ctl health"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest { ControlRequest("GET", "/health") }
}

enum ReadyAction: ControlAction {
  static let name = "ctl ready"
  static let summary = "whether the gateway takes new sockets; exit status 1 while it drains"
  static let example = "postern ctl ready"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest { ControlRequest("GET", "/ready") }
}

enum MetricsAction: ControlAction {
  static let name = "ctl metrics"
  static let summary = "the figures, in Prometheus' text format"
  static let example = "postern ctl metrics"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest {
    ControlRequest("GET", "/metrics")
  }
}

enum SettingsAction: ControlAction {
  static let name = "ctl settings"
  static let summary = "what the gateway is set to, as JSON, without any secret"
  static let example = "postern ctl settings"

  static func request(_ arguments: Arguments, _ operand: String?) -> ControlRequest {
    ControlRequest("GET", "/settings")
  }
}

enum DrainAction: ControlAction {
  static let name = "ctl drain"
  static let summary = "let nobody new in, close everybody with 1012 within a window, and end the process"
  static let example = "postern ctl drain --window 30s"
  static let ownFlags = [
    Flag("window", "DURATION", "the window that the closes are spread over (default: the gateway's --drain-window)")
  ]

  static func request(_ arguments: Arguments, _ operand: String?) throws -> ControlRequest {
    let window = try arguments.duration("window")
    return ControlRequest("POST", "/drain", body: window.map { ["window_s": $0.inSeconds] } ?? [:])
  }

  static func text(_ answer: ControlClient.Answer) -> String { "draining" }
}
