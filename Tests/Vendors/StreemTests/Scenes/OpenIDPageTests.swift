import Foundation
import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
struct OpenIDPageTests {
  private let streem: SimulatedStreem
  private let visitor: OpenIDVisitor

  init() throws {
    streem = try SimulatedStreem { $0.openID.users = [OpenIDUser(name: "ann", password: "right")] }
    visitor = OpenIDVisitor(streem)
  }

  private func input(_ name: String, _ page: HTTPResponse) throws -> String {
    let inputs = page.text.matches(of: /<input [^>]*>/).map { String($0.output) }
    return try #require(inputs.first { $0.contains(#"id="\#(name)""#) })
  }

  @Test
  func `the login page keeps the typed name, and focuses a missing field`() throws {
    let fresh = visitor.get("/authorize", OpenIDVisitor.authorization())
    #expect(try input("username", fresh).contains(" autofocus") && !input("username", fresh).contains("value="))
    #expect(try !input("password", fresh).contains("autofocus"))
    let hinted = visitor.get("/authorize", OpenIDVisitor.authorization(["login_hint": "ann"]))
    let wrong = visitor.logIn(try #require(visitor.open()), as: "an\"<n", password: "wrong")
    #expect(wrong.status == 403 && wrong.text.contains("Wrong name or password."))
    for (page, name) in [(hinted, "ann"), (wrong, "an&quot;&lt;n")] {
      #expect(try input("username", page).contains(#" value="\#(name)""#))
      #expect(try !input("username", page).contains("autofocus"))
      #expect(try input("password", page).contains(" autofocus") && !input("password", page).contains("value="))
    }
    #expect(try input("password", wrong).contains(#"aria-describedby="problem""#))
  }

  @Test
  func `an unknown company has a page for people, and JSON for programs`() {
    let nobody = OpenIDVisitor(streem, company: "nobody")
    let pages = [
      nobody.get("/authorize", OpenIDVisitor.authorization()), nobody.post("/authorize", OpenIDVisitor.authorization()),
      nobody.post("/login", [:]), nobody.get("/logout"), nobody.post("/logout", [:]),
    ]
    for page in pages {
      #expect(page.status == 404 && page.header("content-type") == "text/html; charset=utf-8")
      #expect(page.text.contains("<h1>No such company</h1>") && page.header("x-frame-options") == "DENY")
    }
    for answer in [nobody.get("/jwks"), nobody.post("/token", [:]), nobody.get("/userinfo")] {
      #expect(answer.status == 404 && answer.text.contains(#""reason":"company_unknown""#))
    }
  }

  // MARK: Colours

  @Test
  func `text has a contrast of 4.5, borders and the focus ring of 3, by day and by night`() throws {
    let page = visitor.get("/authorize", OpenIDVisitor.authorization())
    let sheets = page.text.matches(of: /:root\{([^}]*)\}/).map { Self.colours(String($0.output.1)) }
    #expect(sheets.count == 2)
    for (index, sheet) in sheets.enumerated() {
      let day = sheets[0].merging(sheet) { $1 }
      #expect(index == 0 || sheet.keys.sorted() == sheets[0].keys.sorted(), "each colour has one for the night")
      for (front, back, least) in [
        ("text", "page", 4.5), ("wrong", "page", 4.5), ("on-accent", "accent", 4.5), ("line", "page", 3),
        ("accent", "page", 3),
      ] {
        let contrast = Self.contrast(try #require(day[front]), try #require(day[back]))
        #expect(contrast >= least, "\(front) on \(back): \(contrast)")
      }
    }
    // No other rule sets a colour.
    let rules = page.text.replacing(/:root\{[^}]*\}/, with: "").matches(
      of: /(color|background|border|outline):([^;}]*)/)
    for rule in rules where !rule.output.1.contains("border-radius") {
      #expect(!rule.output.2.contains("#"), "\(rule.output.0)")
    }
  }

  /// Returns the custom properties of a rule that are colours, as red, green and blue in 0...1.
  private static func colours(_ rule: String) -> [String: [Double]] {
    var colours: [String: [Double]] = [:]
    for match in rule.matches(of: /--([a-z-]+):#([0-9a-f]{6})/) {
      let number = UInt32(match.output.2, radix: 16) ?? 0
      colours[String(match.output.1)] = [16, 8, 0].map { Double(number >> $0 & 255) / 255 }
    }
    return colours
  }

  /// Returns the contrast by WCAG 2.2, "contrast ratio" and "relative luminance".
  private static func contrast(_ one: [Double], _ other: [Double]) -> Double {
    func luminance(_ colour: [Double]) -> Double {
      let linear = colour.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let (first, second) = (luminance(one), luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }
}
