"""Makes the database that every instance begins with: migrated, with one superuser (expert / PASSWORD)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"

import django

django.setup()
from django.contrib.auth import get_user_model
from django.core.management import call_command

call_command("migrate", verbosity=0)
get_user_model().objects.create_superuser("expert", "expert@example.org", sys.argv[1])
