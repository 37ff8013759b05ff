import Foundation
import GatewayCore
import Testing

@testable import GatewayFleet
@testable import GatewayReport

struct LooksTests {
  @Test(arguments: [false, true])
  func `every colour has a contrast of at least 3 to 1 on both of its grounds, and text 4.5 to 1`(isDark: Bool) throws {
    let scheme = isDark ? Palette.dark : Palette.light
    for ground in [scheme.ground, scheme.card] {
      for (name, colour) in scheme.marks {
        #expect(try Self.contrast(colour, ground) >= 3, "\(name) \(colour) on \(ground)")
      }
      for colour in [scheme.text, scheme.faint, scheme.pass, scheme.fail] {
        #expect(try Self.contrast(colour, ground) >= 4.5, "\(colour) on \(ground)")
      }
    }
  }

  @Test(arguments: [false, true])
  func `no two meanings have one colour`(isDark: Bool) {
    let scheme = isDark ? Palette.dark : Palette.light
    let meanings = scheme.marks.filter { !["pass", "fail"].contains($0.name) }
    #expect(Set(meanings.map(\.colour)).count == meanings.count)
  }

  @Test(arguments: [(50, 50), (50, 51), (50, 60), (999, 1000), (1, 9999), (9000, 9999)])
  func `the names of percentiles and the labels of an axis do not overlap`(half: Int, most: Int) throws {
    var histogram = LatencyHistogram()
    for _ in 0..<90 { histogram.record(.milliseconds(half)) }
    for _ in 0..<10 { histogram.record(.milliseconds(most)) }
    let places = try Self.places(LatencyChart(title: "t", histogram: histogram).html)
    #expect(places.count > 4)
    for (index, place) in places.enumerated() {
      #expect(place.left >= 0 && place.right <= ChartFrame.width + 1, "\(place.text)")
      for other in places[(index + 1)...] where abs(other.y - place.y) < 13 {
        #expect(place.right <= other.left || other.right <= place.left, "\(place.text) and \(other.text)")
      }
    }
  }

  private struct Place {
    let text: String
    let left: Double
    let right: Double
    let y: Double
  }

  /// Returns the positions of a chart's texts, at 0.5 em for a character, in the largest size.
  private static func places(_ html: String) throws -> [Place] {
    html.matches(of: #/<text class="axis( middle| end)?" x="([-0-9.]+)" y="([-0-9.]+)">([^<]*)</text>/#).compactMap {
      match in
      guard let x = Double(match.output.2), let y = Double(match.output.3) else { return nil }
      let text = String(match.output.4)
      let width = Double(text.count) * 9
      let left = match.output.1 == " end" ? x - width : match.output.1 == " middle" ? x - width / 2 : x
      return Place(text: text, left: left, right: left + width, y: y)
    }
  }

  /// Returns the contrast by the formula of WCAG 2.2, "contrast ratio".
  private static func contrast(_ one: String, _ other: String) throws -> Double {
    let (first, second) = (try luminance(one), try luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  private static func luminance(_ colour: String) throws -> Double {
    let number = try #require(Int(colour.dropFirst(), radix: 16))
    let parts = [16, 8, 0].map { shift -> Double in
      let part = Double((number >> shift) & 0xff) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
