internal import GatewayCore
import GatewayFleet

extension StormReport {
  /// The rows about the keys that the storm served; none if it served none.
  var keyRows: [[String]] {
    guard let keys = result.keys else { return [] }
    var rows = [
      [
        "requests", Figures.count(keys.requests),
        "\(Figures.count(keys.limited)) answered 429, \(Figures.count(keys.unchanged)) answered 304; "
          + "\(Figures.count(keys.discoveries)) for the discovery document",
      ],
      [
        "after an unknown kid", Figures.count(keys.afterUnknownKid),
        "requests after a token was shown whose key no answer had had",
      ],
    ]
    if keys.rotations > 0 {
      rows += [
        [
          "rotations", Figures.count(keys.rotations),
          "at most \(Figures.count(keys.mostPerKey)) requests while one key signed",
        ],
        [
          "new key accepted", figure("jwks.rotation_to_accepted"),
          "after its rotation at the latest; \(Figures.count(keys.rotationsAccepted)) of "
            + "\(Figures.count(keys.rotationsShown)) new keys with tokens",
        ],
      ]
    }
    if keys.introspections > 0 {
      rows.append(["introspection", Figures.count(keys.introspections), "questions about opaque tokens"])
    }
    rows.append(["good tokens", Figures.count(keys.valid.shown), Self.words(keys.valid)])
    if keys.forged.shown > 0 {
      rows.append(["forged tokens", Figures.count(keys.forged.shown), Self.words(keys.forged)])
    }
    return rows
  }

  private static func words(_ tokens: KeyFigures.Tokens) -> String {
    "\(Figures.count(tokens.accepted)) accepted, \(Figures.count(tokens.refused)) refused, "
      + "\(Figures.count(tokens.unjudged)) not judged"
  }
}
