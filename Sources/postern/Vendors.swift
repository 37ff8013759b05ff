import GatewayKit
import GatewayPlain
import GatewaySendbird
import GatewaySinch
import GatewayStream
import GatewayStreem

/// The list of all vendors, in the order of the help. The first is the gateway's own: it is the default for commands, and
/// answers for paths that no vendor knows.
enum Vendors {
  static let all: [any OfferedVendor.Type] = [
    PlainVendor.self,
    StreamVendor.self,
    SendbirdVendor.self,
    SinchVendor.self,
    StreemVendor.self,
  ]
}
