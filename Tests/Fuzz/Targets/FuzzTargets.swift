/// The catalogue of the fuzz targets.
enum FuzzTargets {
  static let all: [FuzzTarget] =
    HTTPTargets.all + JSONTargets.all + TokenTargets.all + TextTargets.all + DescriptionTargets.all + RecordTargets.all
    + DialectTargets.all

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
