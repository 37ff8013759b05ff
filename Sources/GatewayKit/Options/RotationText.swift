package import GatewayCore

/// Rotation as people write it in a flag, e.g. `grace=30s,replay=same,revokes=family`.
package enum RotationText {
  /// The form of a rotation, for help and errors.
  package static let form =
    "strict, or with commas grace=DURATION, replay=same|new|refuse, revokes=family|user|nothing, idle=DURATION"

  /// The reason why a text is no rotation.
  package struct Mistake: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// Returns the policy that a text describes.
  package static func parse(_ text: String) throws(Mistake) -> RotationPolicy {
    var policy = RotationPolicy()
    guard text != "strict" else { return policy }
    var given: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2 else {
        throw Mistake(description: "'\(part.prefix(256))' is not name=value; expected \(form)")
      }
      guard !given.contains(sides[0]) else {
        throw Mistake(description: "'\(sides[0].prefix(256))' is given twice")
      }
      given.append(sides[0])
      try read(sides[0], sides[1], into: &policy)
    }
    return policy
  }

  private static func read(_ name: String, _ value: String, into policy: inout RotationPolicy) throws(Mistake) {
    switch name {
    case "grace":
      guard let grace = DurationText.parse(value), RotationPolicy.graces.contains(grace) else {
        throw wrong(name, value, "a duration from 0s to 1d")
      }
      policy.grace = grace
    case "replay":
      guard let replay = RotationPolicy.Replay(rawValue: value) else { throw wrong(name, value, "same, new or refuse") }
      policy.replay = replay
    case "revokes":
      guard let revokes = RotationPolicy.Revocation(rawValue: value) else {
        throw wrong(name, value, "family, user or nothing")
      }
      policy.revokes = revokes
    case "idle":
      guard let idle = DurationText.parse(value), RotationPolicy.idles.contains(idle) else {
        throw wrong(name, value, "a duration from 1s to 3650d")
      }
      policy.idle = idle
    default:
      throw Mistake(description: "'\(name.prefix(256))=' is unknown; expected \(form)")
    }
  }

  private static func wrong(_ name: String, _ value: String, _ expected: String) -> Mistake {
    Mistake(description: "\(name)=\(value.prefix(256)): expected \(expected)")
  }
}

extension RotationPolicy {
  /// The rotation in the form of the flag.
  package var text: String {
    let parts = ["grace=\(Self.text(grace))", "replay=\(replay.rawValue)", "revokes=\(revokes.rawValue)"]
    return (parts + (idle.map { ["idle=\(Self.text($0))"] } ?? [])).joined(separator: ",")
  }

  private static func text(_ duration: Duration) -> String {
    duration.nanoseconds % 1_000_000_000 == 0
      ? "\(duration.nanoseconds / 1_000_000_000)s" : "\(duration.nanoseconds / 1_000_000)ms"
  }
}
