import GatewayKit
import GatewayPlain
import GatewaySendbird
import GatewaySinch
import GatewayStream
import GatewayStreem

/// The list of every vendor there is, in the order of the help. The first is the gateway's own: what is meant where
/// nobody says whose, in `postern token mint --user ann` for instance, and what answers for paths that no vendor knows.
enum Vendors {
  static let all: [any OfferedVendor.Type] = [
    PlainVendor.self,
    StreamVendor.self,
    SendbirdVendor.self,
    SinchVendor.self,
    StreemVendor.self,
  ]
}
