#include "src/forecast/student.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace epochcast::forecast {

double student_reach(double level, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), (1 + level) / 2);
}

double normal_reach(double level) {
  return boost::math::quantile(boost::math::normal(), (1 + level) / 2);
}

}  // namespace epochcast::forecast
