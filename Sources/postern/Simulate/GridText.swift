import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A grid of stability as text and as a picture.
///
/// Each cell has the time of recovery and the lost clients. The cliff separates cells that recover from cells that do not.
struct GridText {
  let grid: StabilityGrid

  private static let cell = (width: 110.0, height: 34.0)

  var text: String {
    let head = ["queue / rate"] + StabilityGrid.timeOuts.map { "wait \(Self.number($0)) s" }
    let rows = grid.rows.map { row in
      ["\(Self.number(row[0].queueSeconds)) s"] + row.map { ($0.isBeyondCliff ? "▌ " : "") + Self.words($0) }
    }
    return
      (TextTable.columns([head] + rows) + [
        "  each cell: recovered after, and the share that was lost; ▌ beyond the cliff, where a full queue is longer than clients wait"
      ]).joined(separator: "\n")
  }

  private static func words(_ cell: StabilityGrid.Cell) -> String {
    let recovered = cell.recovered.map { "\(Figures.decimal($0, places: 0)) s" } ?? "never"
    return "\(recovered), " + (cell.lost.map { Figures.percent(($0 * 1000).rounded() / 1000) } ?? "nobody let in")
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : Figures.decimal(value, places: 1)
  }

  var svg: String {
    let (width, height) = Self.cell
    let left = 70.0
    let top = 40.0
    var parts: [String] = []
    for (column, timeOut) in StabilityGrid.timeOuts.enumerated() {
      parts.append(Self.label("wait \(Self.number(timeOut)) s", left + (Double(column) + 0.5) * width, top - 10))
    }
    for (row, cells) in grid.rows.enumerated() {
      let y = top + Double(row) * height
      parts.append(Self.label("\(Self.number(cells[0].queueSeconds)) s", left / 2, y + height * 0.6))
      for (column, cell) in cells.enumerated() {
        let x = left + Double(column) * width
        let colour = cell.recovered == nil ? "#d9534f" : (cell.lost ?? 1) > 0.001 ? "#f0ad4e" : "#8bc48b"
        parts.append(
          "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width - 2)\" height=\"\(height - 2)\" fill=\"\(colour)\"/>")
        parts.append(Self.label(Self.words(cell), x + width / 2, y + height * 0.6))
        if cell.isBeyondCliff, row > 0, !grid.rows[row - 1][column].isBeyondCliff {
          parts.append(
            "<line x1=\"\(x)\" y1=\"\(y - 1)\" x2=\"\(x + width)\" y2=\"\(y - 1)\" stroke=\"black\" stroke-width=\"4\"/>"
          )
        }
      }
    }
    let size = (left + width * Double(StabilityGrid.timeOuts.count), top + height * Double(grid.rows.count) + 8)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size.0) \(size.1)" font-family="sans-serif" font-size="12">
      <title>Recovered after, and lost: queue / rate down, clients' timeout across; the black line is the cliff</title>
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }

  private static func label(_ text: String, _ x: Double, _ y: Double) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"middle\">\(text)</text>"
  }
}
